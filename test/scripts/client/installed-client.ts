import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import type { Client } from '../../../scripts/client/runtime/client.js'
import type { Document } from '../../../scripts/client/runtime/document.js'
import type * as errors from '../../../scripts/client/runtime/errors.js'
import type { ClientOptions } from '../../../scripts/client/runtime/transport.js'
import { findRegistry } from '../../support/registry.js'
import { onceForRun } from '../../support/vitest/once-for-run.js'

const ROOT = resolve(import.meta.dirname, '../../..')
export const COMPILER = resolve(ROOT, 'node_modules/typescript-compiler/bin/tsc')

const GENERATORS = resolve(ROOT, 'scripts/client/generators/node_modules/.package-lock.json')

/** The first run in a checkout installs what generates the types; after that nobody is asked. */
export async function mayMakeClient(): Promise<boolean> {
  return existsSync(GENERATORS) || (await findRegistry('the test of the typed client')).isReachable
}

/** Every strictness there is, and the declarations of the package too. */
export const STRICT = [
  ...['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'],
  ...['--module', 'nodenext', '--target', 'es2023', '--erasableSyntaxOnly', '--verbatimModuleSyntax'],
]

/** The paths that tests ask for, as far as they look at the answers; the package has the whole document. */
interface Paths {
  '/v1/assets': {
    get: Listed<{ limit?: number; asset_class?: string }, { asset_id: number; ticker: string }>
  }
  '/v1/assets/{id}': { get: Answered<{ path: { id: string } }, { data: { ticker: string } }> }
  '/v1/assets/{id}/ohlcv': {
    get: Answered<
      { path: { id: string }; query?: { limit?: number; from?: string } },
      { data: { candles: { ts: string }[] }; meta: { total: number } }
    >
  }
  '/v1/ai-analysis/changes': {
    get: Answered<
      { query?: { since?: string; limit?: number; cursor?: string } },
      { items: { asset_id: string; to_snapshot_id: string }[]; total_count: number | null }
    >
  }
  '/v1/sanctions/screen': { post: Answered<{}, { data: { lei: string }[] }, { leis: string[] }> }
  '/auth/keys': {
    get: Answered<{}, { keys: { key_id: string }[] }>
    post: Answered<{}, { key_id: string; raw_key: string }, { label: string; clock?: Clock }>
  }
  '/auth/keys/{key_id}': {
    patch: Answered<{ path: { key_id: string } }, { clock: Clock }, { clock: Clock }>
    delete: Answered<{ path: { key_id: string } }, null>
  }
}
interface Clock {
  as_of: string
}
interface Answered<Parameters, Body, Sent = never> {
  parameters: Parameters
  requestBody: { content: { 'application/json': Sent } }
  responses: { 200: { content: { 'application/json': Body } } }
}
type Listed<Query, Row> = Answered<{ query?: Query }, { data: Row[]; meta: { total: number } }>

interface RateEvent {
  readonly cursor: string
  readonly quote: string
  readonly date: string
  readonly rate: number
}

/** What the package exports, as far as tests use it. */
export type Installed = typeof errors & {
  readonly createClient: (options: ClientOptions) => Client<Paths>
  readonly Document: typeof Document
  readonly operations: {
    readonly forex: Document<{ forex: { data: { rate: number }[] } | null }, { quote: string }>
    readonly create_api_key: Document<{ create_api_key: { label: string } | null }, { label: string }>
    readonly advance_api_key: Document<
      { advance_api_key: { key_id: string } | null },
      { key_id: string; clock: Clock }
    >
    readonly forex_events: Document<{ forex: RateEvent }, { quote?: string | string[]; cursor?: string }>
  }
}

/** The package, written by `npm run client`, packed, and installed alone into an empty directory; once for the run. */
export class InstalledClient {
  readonly home = join(inject('runDirectory'), 'client')

  async install(): Promise<void> {
    await onceForRun('client', async () => {
      const written = join(this.home, 'written')
      mkdirSync(join(this.home, 'built'), { recursive: true })
      const { stdout } = await run('npm', ['run', '-s', 'client', '--', '--out', written], ROOT)
      writeFileSync(join(this.home, 'printed'), stdout)
      await run('npm', ['pack', '--pack-destination', this.home], written)
      const tarball = readdirSync(this.home).find((name) => name.endsWith('.tgz')) ?? ''
      writeFileSync(join(this.home, 'package.json'), '{ "private": true, "type": "module" }')
      // Offline: what asks for another package fails.
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], this.home)
    })
  }

  /** What `npm run client` printed. */
  get printed(): string {
    return readFileSync(join(this.home, 'printed'), 'utf8')
  }

  get directory(): string {
    return join(this.home, 'node_modules/market-data-gateway-client')
  }

  async load(): Promise<Installed> {
    const module = (name: string) => import(pathToFileURL(join(this.directory, 'dist', name)).href)
    return { ...(await module('index.js')), operations: await module('operations.js') }
  }

  /** Compiles a program that imports the package by its name; throws with the errors. `types`: of Node or of browsers. */
  async compile(name: string, text: string, types: 'node' | 'dom'): Promise<void> {
    const file = `${name}.ts`
    writeFileSync(join(this.home, file), text)
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')]
    const known =
      types === 'node'
        ? ['--lib', 'es2023', '--types', 'node', ...roots]
        : ['--lib', 'es2023,dom', '--types', '']
    await run(process.execPath, [COMPILER, ...STRICT, ...known, '--outDir', 'built', file], this.home)
  }

  /** What a compiled program prints. */
  async start(name: string, env: Readonly<Record<string, string>>): Promise<string> {
    const program = join(this.home, 'built', `${name}.js`)
    return (await run(process.execPath, [program], this.home, env)).stdout
  }
}

/** Rejects with all that the program wrote. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 }
  return promisify(execFile)(command, args, options).catch(
    (error: { message: string; stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
    },
  )
}
