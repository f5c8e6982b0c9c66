// Checks the licences of all dependencies, and which of them run a script at install: npm run check -- licenses.
// Reads package-lock.json, and node_modules for packages whose licence is not in the lock.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** Licences of production dependencies, bundled code and the font, which the package distributes. They require only a notice. */
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
    'OFL-1.1',
    'Unlicense',
  ],
])

/** Licences of tools, which are not distributed, so that their sources may have to stay open. */
const TOOLS = new Set([...SERVED, 'CC-BY-4.0', 'CC0-1.0', 'EPL-2.0', 'MPL-2.0', 'Python-2.0', 'Zlib'])

/** Packages with an install script, and why it is needed or harmless. npm runs none of them for users of the package. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  '@prisma/engines': 'fetches engines, which scripts/schema-engine.mjs replaces; development only',
  '@swc/core': 'checks whether npm installed its binary; development only',
  esbuild: 'checks whether npm installed its binary; development only',
  prisma: 'checks the version of Node; development only',
}

/** Packages that state their licence only in their file LICENSE or Readme.md. */
const BY_FILE: Readonly<Record<string, string>> = {
  'humanize-number': 'MIT',
  only: 'MIT',
  'seq-queue': 'MIT',
}

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
  /** Only development needs it, and it is an optional peer. No package and no image has it. */
  readonly devOptional?: boolean
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
        isTool: (entry.dev === true || entry.devOptional === true) && !bundled.has(name),
        hasInstallScript: entry.hasInstallScript === true,
      }
    })
}

/** Throws if third-party-licenses.txt, which `npm run prepare` writes, lacks licences of bundled code. */
function bundledPackages(): ReadonlySet<string> {
  const file = resolve(ROOT, 'third-party-licenses.txt')
  if (!existsSync(file)) throw new Error('third-party-licenses.txt is missing; run npm run prepare')
  const names = [...readFileSync(file, 'utf8').matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) \d+\.\d+\.\d+/gm)]
  if (names.length < 4) throw new Error('third-party-licenses.txt names too few packages')
  return new Set(names.map(([, name]) => name ?? ''))
}

/** The licence of a package. An optional package for another platform is not installed. */
function licenseIn(path: string): string {
  const file = resolve(ROOT, path, 'package.json')
  if (!existsSync(file)) return 'not installed'
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly license?: string | { readonly type: string }
    readonly licenses?: readonly { readonly type: string }[]
  } // npm's own format, the old ones too
  return typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type ?? 'none')
}

/** Whether an SPDX expression is allowed: one licence of OR, all licences of AND. */
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
        `${path}: the licence ${license} is not allowed for ${isTool ? 'a tool' : 'distributed code'}`,
    ),
  ...all
    .filter(({ name, hasInstallScript }) => hasInstallScript && INSTALL_SCRIPTS[name] === undefined)
    .map(({ path }) => `${path}: runs a script at install; add the reason to INSTALL_SCRIPTS`),
  ...all
    .filter(({ hasInstallScript, isTool }) => hasInstallScript && !isTool)
    .map(({ path }) => `${path}: runs a script when the gateway is installed`),
  ...Object.keys(INSTALL_SCRIPTS)
    .filter((name) => !all.some((found) => found.name === name && found.hasInstallScript))
    .map((name) => `${name}: has no install script any more; remove it from INSTALL_SCRIPTS`),
]
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}
const served = all.filter(({ isTool }) => !isTool).length
process.stdout.write(`licences: ${served} distributed packages, ${all.length - served} tools\n`)
