// Checks the licences of all dependencies, and which of them run a script when they are installed: npm run check:licenses.
// Reads package-lock.json, and node_modules where the lock has no licence.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** Of what is served to others: production dependencies, and what is bundled into the package. They want notice alone. */
const SERVED = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
])

/** Of tools, which are not handed on: their own sources may want to stay open. */
const TOOLS = new Set([...SERVED, 'CC-BY-4.0', 'CC0-1.0', 'EPL-2.0', 'MPL-2.0', 'Python-2.0', 'Zlib'])

/** Packages with a script at install, and why that is needed or harmless; npm runs none for who installs the package. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  '@prisma/engines': 'fetches engines, which scripts/schema-engine.mjs replaces; development only',
  '@swc/core': 'looks whether its binary came with npm; development only',
  esbuild: 'looks whether its binary came with npm; development only',
  'prisma-cli': 'checks the version of Node; development only',
}

/** What names its licence in its file LICENSE alone. */
const BY_FILE: Readonly<Record<string, string>> = { 'seq-queue': 'MIT' }

interface Locked {
  readonly name: string
  readonly path: string
  readonly license: string
  readonly isTool: boolean
  readonly hasInstallScript: boolean
}

interface LockEntry {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}

function locked(): readonly Locked[] {
  const { packages } = JSON.parse(readFileSync(resolve(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockEntry>>
  } // npm's own file
  const bundled = bundledPackages()
  return Object.entries(packages)
    .filter(([path, { link }]) => path !== '' && !link)
    .map(([path, entry]) => {
      const name = path.replace(/^.*node_modules\//, '')
      return {
        name,
        path,
        license: entry.license ?? BY_FILE[name] ?? licenseIn(path),
        isTool: entry.dev === true && !bundled.has(name),
        hasInstallScript: entry.hasInstallScript === true,
      }
    })
}

/** Their texts are in third-party-licenses.txt, which `npm run prepare` writes. */
function bundledPackages(): ReadonlySet<string> {
  const file = resolve(ROOT, 'third-party-licenses.txt')
  if (!existsSync(file)) throw new Error('third-party-licenses.txt is not there: run npm run prepare')
  const names = [...readFileSync(file, 'utf8').matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) \d+\.\d+\.\d+/gm)]
  if (names.length < 4) throw new Error('third-party-licenses.txt names too few packages')
  return new Set(names.map(([, name]) => name ?? ''))
}

/** An optional package for another platform is not installed; then it has the licence of its family. */
function licenseIn(path: string): string {
  const file = resolve(ROOT, path, 'package.json')
  if (!existsSync(file)) return 'not installed'
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly license?: string | { readonly type: string }
    readonly licenses?: readonly { readonly type: string }[]
  } // npm's own format, the old ones too
  return typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type ?? 'none')
}

/** SPDX: one of several by OR, all of several by AND. */
function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const text = expression.replace(/^\((.*)\)$/, '$1')
  if (/\sor\s/i.test(text)) return text.split(/\sor\s/i).some((part) => isAllowed(part, allowed))
  return text.split(/\sand\s/i).every((part) => allowed.has(part.trim()))
}

const all = locked()
const faults = [
  ...all
    .filter(({ license, isTool }) => !(isTool && license === 'not installed'))
    .filter(({ license, isTool }) => !isAllowed(license, isTool ? TOOLS : SERVED))
    .map(
      ({ path, license, isTool }) =>
        `${path}: ${license} is no licence for ${isTool ? 'a tool' : 'what is served'}`,
    ),
  ...all
    .filter(({ name, hasInstallScript }) => hasInstallScript && INSTALL_SCRIPTS[name] === undefined)
    .map(({ path }) => `${path}: runs a script when it is installed; INSTALL_SCRIPTS does not say why`),
  ...all
    .filter(({ hasInstallScript, isTool }) => hasInstallScript && !isTool)
    .map(({ path }) => `${path}: runs a script where the gateway is installed`),
  ...Object.keys(INSTALL_SCRIPTS)
    .filter((name) => !all.some((found) => found.name === name && found.hasInstallScript))
    .map((name) => `${name}: has no script at install any more`),
]
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}
const served = all.filter(({ isTool }) => !isTool).length
process.stdout.write(`licences: ${served} packages are served, ${all.length - served} are tools\n`)
