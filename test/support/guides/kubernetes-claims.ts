import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import type { GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/** No cluster and no Docker is there: manifests are rendered, objects are made without a server, and other calls are printed. */
const WITHOUT_CLUSTER = `
docker() { echo "docker $*"; }
kubectl() {
  case " $* " in
    *' create '*) command kubectl "$@" --dry-run=client -o name ;;
    ' apply -k '*) command kubectl kustomize "$3" >/dev/null && echo "kubectl $*" ;;
    *) echo "kubectl $*" ;;
  esac
}
`

const runIn = async (world: GuideWorld, block: GuideBlock) =>
  (await world.run(block, `${WITHOUT_CLUSTER}\n${block.text}`)).out

/** The secrets that the block writes are those that the pods read, and the gateway takes them. */
export async function preparesSecrets(world: GuideWorld, block: GuideBlock): Promise<void> {
  const manifests = 'scripts/kubernetes'
  cpSync(join(ROOT, manifests), join(world.directory, manifests), { recursive: true })
  const out = await runIn(world, { ...block, text: block.text.replace('git rev-parse HEAD', 'echo abc') })
  expect(out).toContain('docker build --build-arg REVISION=abc -t registry.example.org/market-data-gateway:')
  expect(out).toContain('namespace/market-data-gateway')
  const secrets = join(world.directory, 'deploy/production/secrets')
  expect(statSync(secrets).mode & 0o777).toBe(0o700)
  const names = readdirSync(secrets)
    .filter((name) => name !== '.gitignore')
    .sort()
  const rendered = await runIn(world, { ...block, text: 'command kubectl kustomize deploy/production' })
  for (const name of names) expect(rendered).toContain(`  ${name}: `)
  expect(rendered).toMatch(/^kind: Secret$/m)
  const gateway = readFileSync(join(ROOT, manifests, 'base/gateway.yaml'), 'utf8')
  const read = Array.from(gateway.matchAll(/name: (\w+)_FILE,/g), ([, name]) => name).sort()
  expect(names).toEqual(read)
  const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, join(secrets, name)]))
  expect(loadConfig({ NODE_ENV: 'production', ...files }).mode).toBe('production')
}

/** The manifests that the block applies can be rendered, and the objects that it names are among them. */
export async function appliesManifests(world: GuideWorld, block: GuideBlock): Promise<void> {
  const out = await runIn(world, block)
  expect(existsSync(join(world.directory, 'deploy/production'))).toBe(true)
  const applied = out.split('\n').filter((line) => line.startsWith('kubectl apply -k deploy/production'))
  expect(applied).toEqual([
    'kubectl apply -k deploy/production -l app.kubernetes.io/component in (shared, migration)',
    'kubectl apply -k deploy/production',
  ])
  assertNamed(out, /(?:job|deployment)[/ ]([\w-]+)/g)
}

/** The commands are those of the program in the image. */
export async function runsCommands(world: GuideWorld, block: GuideBlock): Promise<void> {
  const out = await runIn(world, block)
  assertNamed(out, /deploy\/([\w-]+)/g)
  for (const [, command] of out.matchAll(/ -- market-data-gateway (\w+)/g))
    expect(['key', 'doctor', 'admin']).toContain(command)
}

function assertNamed(out: string, pattern: RegExp): void {
  const names = Array.from(out.matchAll(pattern), ([, name]) => name ?? '')
  const base = join(ROOT, 'scripts/kubernetes/base')
  const manifests = readdirSync(base).map((file) => readFileSync(join(base, file), 'utf8'))
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(manifests.join('\n')).toContain(`\n  name: ${name}\n`)
}
