import { spawnSync } from 'node:child_process'

const RENDERERS = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
] as const

/** The installed program that renders manifests; null if neither is installed. */
function renderer(): (typeof RENDERERS)[number] | null {
  return RENDERERS.find(([program, command]) => spawnSync(program, [command, '--help']).status === 0) ?? null
}

/** Whether `renderManifests` can work on this machine. */
export function canRender(): boolean {
  return renderer() !== null
}

/** The objects of a directory with a kustomization.yaml, as YAML documents. Throws with the message of the renderer. */
export function renderManifests(directory: string): string {
  const found = renderer()
  if (found === null) throw new Error('install kubectl or kustomize: one of them renders the manifests')
  const [program, command] = found
  const { status, stdout, stderr } = spawnSync(program, [command, directory], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${command} ${directory} ended with ${status}: ${stderr}`)
  return stdout
}
