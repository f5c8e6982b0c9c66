// Tries popular clients and generators: generates each client from the OpenAPI document and the schema of a running
// gateway, compiles it with strict TypeScript, and makes real calls. Exit code 1 if one of them fails.
// npm run clients -- [--url http://127.0.0.1:4000 --key KEY] [--only orval,urql]
// Without --url it starts a seeded gateway on the embedded database in a temporary directory. The first run installs the
// packages (300 MB) into scripts/clients.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printSchema } from 'graphql'
import { graphSchema } from '../src/schema.js'
import { type Asked, startOwnGateway } from './clients/own-gateway.js'

const ROOT = resolve(import.meta.dirname, '..')
const PACKAGES = join(ROOT, 'scripts/clients')

/** The loader by its address, because the trial runs in another directory. */
const TSX = import.meta.resolve('tsx')

/** Time limit of a step, which takes up to a minute on an idle machine. */
const STEP_MS = 300_000

/** Compiler options that the packages of a client violate. All other strict options are on for all clients. */
const RELAXED: Readonly<Record<string, object>> = {
  // Its generated files pass `undefined` to optional members.
  // 0.95, the last version for Node 20, does too.
  'hey-api': { exactOptionalPropertyTypes: false },
  // The declarations of 4.3, its newest version, name types of a later graphql than the one it is installed with.
  'apollo-client': { skipLibCheck: true },
}

/** Clients by the name of their file in calls/, with the generator that each needs. */
const CLIENTS: Readonly<Record<string, keyof typeof GENERATORS>> = {
  'openapi-fetch': 'openapi-typescript',
  'openapi-fetch-short': 'openapi-typescript-short',
  orval: 'orval',
  'hey-api': 'hey-api',
  'graphql-codegen': 'graphql-codegen',
  'apollo-client': 'graphql-codegen',
  urql: 'graphql-codegen',
  'graphql-request': 'graphql-codegen',
  'graphql-sse': 'graphql-codegen',
  python: 'python',
}

const GENERATORS = {
  'openapi-typescript': ['openapi-typescript', 'openapi-full.json', '-o', 'generated/openapi-full.d.ts'],
  'openapi-typescript-short': ['openapi-typescript', 'openapi.json', '-o', 'generated/openapi.d.ts'],
  orval: ['orval', '--config', 'orval.config.mjs'],
  'hey-api': [
    'openapi-ts',
    '-i',
    'openapi-full.json',
    '-o',
    'generated/hey-api',
    '-c',
    '@hey-api/client-fetch',
  ],
  'graphql-codegen': ['graphql-codegen', '--config', 'codegen.json'],
  // The gateway's own client, which needs python3 only.
  python: [join(ROOT, 'scripts/client.ts'), '--python', 'generated/python'],
} as const

/** The result of one step of one client. `failure` is null on success. */
interface Step {
  readonly client: string
  readonly step: string
  readonly failure: string | null
}

const { values: options } = parseArgs({
  options: { url: { type: 'string' }, key: { type: 'string' }, only: { type: 'string' } },
})
const names = options.only?.split(',') ?? Object.keys(CLIENTS)
const unknown = names.filter((name) => CLIENTS[name] === undefined)
if (unknown.length > 0) throw new Error(`unknown client: ${unknown}; use one of: ${Object.keys(CLIENTS)}`)
if ((options.url === undefined) !== (options.key === undefined))
  throw new Error('give both --url and --key, or neither')

install()
const directory = mkdtempSync(join(tmpdir(), 'mdg-clients-'))
const own =
  options.url === undefined ? await startOwnGateway(ROOT, join(directory, 'data')) : { stop: () => {} }
const asked: Asked = 'url' in own ? own : { url: options.url ?? '', key: options.key ?? '' }
try {
  await prepare(asked)
  const steps = trial(asked)
  print(steps)
  process.exitCode = steps.some(({ failure }) => failure !== null) ? 1 : 0
} finally {
  await own.stop()
  rmSync(directory, { recursive: true, force: true })
}

/** Installs the packages of the folder's package-lock.json, without install scripts. */
function install(): void {
  if (existsSync(join(PACKAGES, 'node_modules/.package-lock.json'))) return
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status } = spawnSync('npm', args, { cwd: PACKAGES, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci failed in ${PACKAGES}`)
}

/** Writes the input of the generators into the folder of the calls. */
async function prepare({ url }: Asked): Promise<void> {
  for (const part of ['calls', 'tsconfig.json', 'package.json'])
    cpSync(join(PACKAGES, part), join(directory, part), { recursive: true })
  symlinkSync(join(PACKAGES, 'node_modules'), join(directory, 'node_modules'))
  for (const name of ['openapi.json', 'openapi-full.json']) {
    const document = await fetch(`${url}/${name}`)
    if (!document.ok) throw new Error(`${url}/${name} is ${document.status}`)
    writeFileSync(join(directory, name), await document.text())
  }
  writeFileSync(join(directory, 'schema.graphql'), printSchema(graphSchema))
  const orval = {
    input: './openapi-full.json',
    output: { target: 'generated/orval/index.ts', mode: 'split' },
  }
  writeFileSync(
    join(directory, 'orval.config.mjs'),
    `export default ${JSON.stringify({ gateway: { ...orval, output: { ...orval.output, client: 'fetch', baseUrl: url } } })}`,
  )
  writeFileSync(join(directory, 'calls/apollo-guide.mjs'), apolloExample(url))
  const scalars = {
    Date: 'string',
    DateTime: 'string',
    JSONObject: 'Record<string, unknown>',
    JSON: 'string | number | boolean',
    UUID: 'string',
    URL: 'string',
    BigInt: 'number',
    _Any: 'Record<string, unknown>',
  }
  const config = { enumsAsTypes: true, useTypeImports: true, strictScalars: true, scalars }
  const codegen = {
    schema: 'schema.graphql',
    documents: ['calls/documents.ts'],
    generates: { 'generated/graphql/': { preset: 'client', config } },
  }
  writeFileSync(join(directory, 'codegen.json'), JSON.stringify(codegen))
}

/** The example of Apollo Client in the guide, with another URL. */
function apolloExample(url: string): string {
  const guide = readFileSync(join(ROOT, 'src/gateway/pages/guides/subscriptions.md'), 'utf8')
  const blocks = Array.from(guide.matchAll(/^```js\n([\s\S]*?)^```$/gm), ([, text = '']) => text)
  const examples = blocks.filter((text) => text.includes('@apollo/client'))
  if (examples.length !== 1)
    throw new Error(`subscriptions.md has ${examples.length} examples of Apollo Client`)
  return examples.join('').replaceAll('127.0.0.1:4000', new URL(url).host)
}

/** Runs all needed generators, then each client: compiles it and, if that succeeds, runs its calls. */
function trial(gateway: Asked): readonly Step[] {
  const needed = [...new Set(names.map((name) => CLIENTS[name] ?? 'orval'))] // names are checked above
  const generated = new Map(needed.map((name) => [name, generate(GENERATORS[name])]))
  return names.flatMap((client) => {
    const failure = generated.get(CLIENTS[client] ?? 'orval') ?? null
    const made = { client, step: 'generate', failure }
    if (failure !== null) return [made]
    const types = { client, step: 'types', failure: compile(client) }
    return [made, types, ...callsOf(client, gateway)]
  })
}

function generate([program, ...args]: readonly [string, ...string[]]): string | null {
  if (program.endsWith('.ts')) return run([process.execPath, '--import', TSX, program, ...args])
  return run([join(directory, 'node_modules/.bin', program), ...args])
}

/** Compiles a client with strict options, except those that it violates. */
function compile(client: string): string | null {
  const config = join(directory, `tsconfig.${client}.json`)
  const compilerOptions = RELAXED[client] ?? {}
  const files = [`calls/${client}.ts`]
  writeFileSync(config, JSON.stringify({ extends: './tsconfig.json', compilerOptions, files }))
  return run([join(directory, 'node_modules/.bin/tsc'), '-p', config])
}

/** Runs a program of the packages. Returns null, or the end of its output if it failed. */
function run([program, ...args]: readonly string[]): string | null {
  const env = { ...process.env, DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false' }
  const ran = spawnSync(program ?? '', args, { cwd: directory, env, encoding: 'utf8', timeout: STEP_MS })
  if (ran.status === 0) return null
  return `${ran.stdout}${ran.stderr}`.trim().slice(-2_000) || String(ran.error ?? ran.signal)
}

function callsOf(client: string, { url, key }: Asked): readonly Step[] {
  const args = ['--import', 'tsx', join(directory, 'calls/run.ts'), client]
  const env = { ...process.env, GATEWAY_URL: url, GATEWAY_KEY: key }
  const ran = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8', timeout: STEP_MS })
  const lines = ran.stdout.split('\n').filter((line) => line.startsWith('{'))
  const steps = lines.map((line) => {
    const { call, failure } = JSON.parse(line) as { call: string; failure: string | null } // run.ts writes them
    return { client, step: call, failure }
  })
  const hasFailed = steps.some(({ failure }) => failure !== null)
  if (ran.status === 0 || hasFailed) return steps
  return [...steps, { client, step: 'calls', failure: ran.stderr.trim().slice(-2_000) || 'no end in time' }]
}

function print(steps: readonly Step[]): void {
  for (const { client, step, failure } of steps)
    if (failure !== null) console.error(`\n${client}: ${step}: ${failure}`)
  console.log('')
  for (const client of names) {
    const own = steps.filter((step) => step.client === client)
    const texts = own.map(({ step, failure }) => (failure === null ? step : `${step.toUpperCase()} FAILED`))
    console.log(`${client.padEnd(20)} ${texts.join(', ')}`)
  }
  const failed = steps.filter(({ failure }) => failure !== null).length
  console.log(`\n${names.length} clients, ${steps.length} steps, ${failed} failed`)
}
