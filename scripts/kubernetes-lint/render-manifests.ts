import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'

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

/**
 * The objects of a directory with a kustomization.yaml, as YAML documents. A file of a Secret that is missing counts as a placeholder:
 * the repository has no secrets. Throws with the message of the renderer.
 */
export function renderManifests(directory: string): string {
  const found = renderer()
  if (found === null) throw new Error('install kubectl or kustomize: one of them renders the manifests')
  const [program, command] = found
  const parent = mkdtempSync(join(tmpdir(), 'mdg-manifests-'))
  try {
    // A kustomization may name the directories beside it.
    cpSync(dirname(resolve(directory)), parent, { recursive: true })
    const copy = join(parent, basename(resolve(directory)))
    writePlaceholders(copy)
    const { status, stdout, stderr } = spawnSync(program, [command, copy], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program} ${command} ${directory} ended with ${status}: ${stderr}`)
    return stdout
  } finally {
    rmSync(parent, { recursive: true })
  }
}

interface Kustomization {
  readonly secretGenerator?: readonly { readonly files?: readonly string[] }[]
}

function writePlaceholders(directory: string): void {
  const kustomization: Kustomization = parse(readFileSync(join(directory, 'kustomization.yaml'), 'utf8'))
  for (const file of (kustomization.secretGenerator ?? []).flatMap(({ files = [] }) => files)) {
    const path = join(directory, file)
    if (existsSync(path)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'placeholder')
  }
}
