import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { graphSchema } from '../../src/schema.js'
import {
  clientOpenApi,
  clientOperations,
  dayParameters,
  NEWEST_PAGE_FIRST,
  readsByPost,
  rowMembers,
} from './documents.js'
import { emptyOutput } from './empty-output.js'

/** Sizes of the written client in bytes. */
interface WrittenClient {
  readonly name: string
  readonly version: string
  readonly files: number
  readonly script: number
  readonly types: number
  readonly packed: number
}

const NAME = 'market-data-gateway-client'

/** `AbortSignal.any` of Node and of browsers since 2023. */
const NODE = '>=20.3.0'

/** Compiled without the types of Node, so that it runs in browsers. */
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  declaration: true,
}

/** Empties `out` and writes the package into it. Throws the output of a failed step. */
export async function writeClient(root: string, out: string): Promise<WrittenClient> {
  const generators = join(root, 'scripts/client/generators')
  install(generators)
  const work = mkdtempSync(join(tmpdir(), 'mdg-client-'))
  try {
    await writeSources(root, work)
    run([process.execPath, join(generators, 'generate.mjs'), work], work)
    emptyOutput(out, 'package.json', `"name": "${NAME}"`)
    const config = { compilerOptions: { ...COMPILER_OPTIONS, rootDir: work, outDir: join(out, 'dist') } }
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ ...config, include: ['*.ts'] }))
    run([process.execPath, join(root, 'node_modules/typescript-compiler/bin/tsc'), '-p', work], work)
    const scripts = readdirSync(join(out, 'dist')).filter((name) => name.endsWith('.js'))
    for (const name of scripts) removeComments(join(out, 'dist', name))
  } finally {
    rmSync(work, { recursive: true })
  }
  const version = writePackage(root, out)
  return { name: NAME, version, ...sizesOf(out) }
}

/** Installs the packages of the folder's package-lock.json, without install scripts. */
function install(generators: string): void {
  if (existsSync(join(generators, 'node_modules/.package-lock.json'))) return
  run(['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts'], generators)
}

/** Copies the hand-written part and writes the input of the generators. */
async function writeSources(root: string, work: string): Promise<void> {
  cpSync(join(root, 'scripts/client/runtime'), work, { recursive: true })
  writeFileSync(join(work, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(await clientOpenApi()))
  writeFileSync(join(work, 'schema.graphql'), printSchema(lexicographicSortSchema(graphSchema)))
  const subscriptions = readFileSync(join(root, 'scripts/client/subscriptions.graphql'), 'utf8')
  writeFileSync(join(work, 'operations.graphql'), (await clientOperations()) + subscriptions)
  writeFileSync(join(work, 'index.ts'), await indexModule())
}

/** Binds the hand-written part to the document. */
async function indexModule(): Promise<string> {
  const kinds = {
    readsByPost: await readsByPost(),
    newestPageFirst: NEWEST_PAGE_FIRST,
    days: await dayParameters(),
    rows: rowMembers(),
  }
  return `import { Client } from './client.js'
import type { ErrorCode } from './errors.js'
import type { components, paths } from './openapi.js'
import type { ClientOptions } from './transport.js'

export type { Answer, PageOptions, RequestOptions, WriteOptions } from './client.js'
export { Document, type TypedDocument } from './document.js'
export { ApiError, BoundError, ConnectionError, type ErrorCode, type Failure, type FieldProblem } from './errors.js'
export type { GraphQLAnswer } from './graphql.js'
export type { Limits, QuotaWindow } from './limits.js'
export type { components, paths } from './openapi.js'
export type { SubscribeOptions } from './subscription.js'
export type { ClientOptions } from './transport.js'

/** The types of the answers by name: \`Schemas['AssetCard']\`. */
export type Schemas = components['schemas']

export type GatewayClient = Client<paths>

/** A client of the gateway at \`url\`. */
export function createClient(options: ClientOptions): GatewayClient {
  return new Client<paths>(options, ${JSON.stringify(kinds)})
}

// Checks that the hand-written error codes are those of the document.
const codes: [ErrorCode] extends [Schemas['Error']['error']]
  ? [Schemas['Error']['error']] extends [ErrorCode]
    ? true
    : never
  : never = true
void codes
`
}

/** Writes everything except the compiled files. Returns the version. */
function writePackage(root: string, out: string): string {
  const gateway = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` })
  const description = {
    name: NAME,
    version: gateway.version,
    description: 'Typed client of the market data gateway: REST, GraphQL and subscriptions over fetch.',
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    engines: { node: NODE },
    exports: { '.': entry('index'), './operations': entry('operations') },
    files: ['dist'],
  }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(description, null, 2)}\n`)
  copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
  copyFileSync(join(root, 'src/gateway/pages/guides/client.md'), join(out, 'README.md'))
  return gateway.version
}

function sizesOf(out: string) {
  const [pack] = JSON.parse(run(['npm', 'pack', '--dry-run', '--json'], out)) as [{ size: number }] // npm's format
  const names = readdirSync(join(out, 'dist'))
  const bytesOf = (ending: string) =>
    names
      .filter((name) => name.endsWith(ending))
      .reduce((sum, name) => sum + statSync(join(out, 'dist', name)).size, 0)
  return { files: names.length + 3, script: bytesOf('.js'), types: bytesOf('.d.ts'), packed: pack.size }
}

/** Time limit of a step. Most take seconds, but an install may wait for the registry. */
const STEP_MS = 300_000

/** Runs a program and returns its output. Throws the output if it fails. */
function run([program, ...args]: readonly [string, ...string[]], cwd: string): string {
  const env = { ...process.env, DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false' }
  const ran = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: STEP_MS })
  if (ran.status === 0) return ran.stdout
  const output = `${ran.stdout ?? ''}${ran.stderr ?? ''}`.trim().slice(-4_000)
  throw new Error(`${program} ${args.join(' ')} failed: ${output || String(ran.error ?? ran.signal)}`)
}

/** Removes the comments of declarations from a script. Editors show those of the types. */
function removeComments(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, ''))
}
