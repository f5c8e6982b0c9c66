// Renders the manifests and validates them by the schemas and types of Kubernetes, without a cluster: npm run check -- kubernetes. It takes
// other directories too: npm run check -- kubernetes DIRECTORY. It needs kubectl or kustomize, and installs the schemas (25 MB) into
// a separate folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { renderManifests } from './kubernetes-lint/render-manifests.js'

const ROOT = resolve(import.meta.dirname, '..')
const LINTER = join(ROOT, 'scripts/kubernetes-lint')
const INSTALLED = join(LINTER, 'node_modules/.package-lock.json')
/** Below the packages, so that the compiler finds their types. */
const CACHE = join(LINTER, 'node_modules/.cache')
const TSC = join(ROOT, 'node_modules/.bin/tsc')
/** `exactOptionalPropertyTypes` and the like are no questions to a manifest. */
const TYPES_ONLY = ['--noEmit', '--strict', '--ignoreConfig', '--skipLibCheck', '--module', 'nodenext']

const given = process.argv.slice(2)
const directories =
  given.length > 0 ? given : ['base', 'production'].map((name) => join(ROOT, 'scripts/kubernetes', name))

if (!existsSync(INSTALLED)) run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'])
mkdirSync(CACHE, { recursive: true })
for (const directory of directories) {
  process.stdout.write(`${directory}: `)
  const rendered = join(CACHE, 'rendered.yaml')
  const types = join(CACHE, 'objects.mts')
  writeFileSync(rendered, renderManifests(directory))
  run(process.execPath, ['lint.mjs', rendered, types])
  run(TSC, [...TYPES_ONLY, types])
}

function run(program: string, args: readonly string[]): void {
  if (spawnSync(program, args, { cwd: LINTER, stdio: 'inherit' }).status !== 0) process.exitCode = 1
}
