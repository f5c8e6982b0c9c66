#!/usr/bin/env node
// Replaces Prisma's native `schema-engine` binary, which the CLI would download. It speaks the CLI's JSON-RPC on stdio and
// runs the WebAssembly build of the same engine from npm (@prisma/schema-engine-wasm, pinned to the hash that
// `prisma version` prints; update both together). prisma.config.ts tells the CLI to run it; do not run it by hand.
// The database is DATABASE_URL; `?pglite=<directory or memory://>` in it selects an embedded one. The shadow database
// is always in memory, so the right to create databases is not needed. DEBUG_SCHEMA_ENGINE=1 prints the engine's log.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    datamodels: { type: 'string', multiple: true, default: [] },
    datasource: { type: 'string', default: '{}' },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
    version: { type: 'boolean', short: 'V' },
  },
  strict: false, // ignores further options of the CLI
})
const url = JSON.parse(options.datasource).url ?? process.env.DATABASE_URL

const adapterFactory = {
  provider: 'postgres',
  adapterName: 'schema-engine',
  connect: () => {
    const directory = url && new URL(url).searchParams.get('pglite')
    return url && !directory ? connectPostgres(url) : connectEmbedded(directory ?? undefined)
  },
  connectToShadowDb: () => connectEmbedded(),
}

async function connectEmbedded(directory) {
  const { PGlite } = await import('@electric-sql/pglite')
  const { PrismaPGlite } = await import('pglite-prisma-adapter')
  const engine = await PGlite.create(directory)
  const adapter = await new PrismaPGlite(engine).connect()
  // The adapter does not await scripts; the engine must see their errors.
  adapter.executeScript = async (script) => {
    await engine.exec(script)
  }
  adapter.dispose = () => engine.close()
  return adapter
}

// Types of the system catalogue that the engine reads and @prisma/adapter-pg rejects (prisma/orm#27403), and the other
// types in the same results.
const CATALOGUE_TYPES = {
  16: ColumnTypeEnum.Boolean,
  18: ColumnTypeEnum.Character,
  20: ColumnTypeEnum.Int64,
  21: ColumnTypeEnum.Int32,
  23: ColumnTypeEnum.Int32,
  26: ColumnTypeEnum.Int64,
  700: ColumnTypeEnum.Float,
  701: ColumnTypeEnum.Double,
  1002: ColumnTypeEnum.CharacterArray,
  1003: ColumnTypeEnum.TextArray,
  1005: ColumnTypeEnum.Int32Array,
  1007: ColumnTypeEnum.Int32Array,
  1009: ColumnTypeEnum.TextArray,
  1015: ColumnTypeEnum.TextArray,
  1016: ColumnTypeEnum.Int64Array,
}

async function connectPostgres(connectionString) {
  const { PrismaPg } = await import('@prisma/adapter-pg')
  const adapter = await new PrismaPg({ connectionString, max: 1 }).connect()
  // The adapter splits scripts at every semicolon, even inside function bodies and texts.
  adapter.executeScript = async (script) => {
    await adapter.underlyingDriver().query(script)
  }
  const queryRaw = adapter.queryRaw.bind(adapter)
  adapter.queryRaw = async (query) => {
    try {
      return await queryRaw(query)
    } catch (error) {
      if (error?.cause?.kind !== 'UnsupportedNativeDataType') throw error
      const { rows, fields } = await adapter
        .underlyingDriver()
        .query({ text: query.sql, values: query.args, rowMode: 'array' })
      return {
        columnNames: fields.map((field) => field.name),
        columnTypes: fields.map((field) => CATALOGUE_TYPES[field.dataTypeID] ?? ColumnTypeEnum.Text),
        rows,
      }
    }
  }
  return adapter
}

/** Implements `schema-engine cli can-connect-to-database`, whose result is the exit code. */
async function checkConnection() {
  try {
    const adapter = await adapterFactory.connect()
    await adapter.queryRaw({ sql: 'select 1', args: [], argTypes: [] })
    await adapter.dispose()
    process.exit(0)
  } catch (error) {
    // The form of the native engine's log: the CLI drops the first line and expects this level, target and fields.
    const fields = {
      is_panic: false,
      error_code: 'P1001',
      message: `${textOf(error)}: ${withoutSecrets(url)}`,
    }
    console.error(`failed\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}`)
    process.exit(1)
  }
}

function withoutSecrets(address) {
  const { host, pathname } = new URL(address)
  return `${host}${pathname}`
}

async function startEngine(boundFactory) {
  // The package's entry point needs a loader for .wasm imports, which Node has only behind a flag.
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const module = new WebAssembly.Module(readFileSync(entry.replace(/\.js$/, '.wasm')))
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': bindings })
  bindings.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  const datamodels = options.datamodels.map((path) => [path, readFileSync(path, 'utf8')])
  const log = (line) => process.env.DEBUG_SCHEMA_ENGINE && process.stderr.write(`${line}\n`)
  return bindings.SchemaEngine.new(
    { datamodels: datamodels.length > 0 ? datamodels : undefined },
    log,
    boundFactory,
  )
}

function serve() {
  const boundFactory = bindMigrationAwareSqlAdapterFactory(adapterFactory)
  let engine
  let queue = Promise.resolve() // the engine runs one request at a time
  let prints = 1_000_000 // ids of the requests of this script, which differ from those of the CLI
  const answer = async ({ id, method, params }) => {
    try {
      engine ??= startEngine(boundFactory)
      const result = await call(await engine, method, params)
      if (method === 'diff' && result.stdout != null) {
        send({ id: prints++, method: 'print', params: { content: result.stdout } })
      }
      send({ id, result })
    } catch (error) {
      const data = {
        is_panic: false,
        message: explain(error, boundFactory),
        meta: {},
        error_code: error?.code,
      }
      send({
        id,
        error: { code: 4466, message: 'An error happened. Check the data field for details.', data },
      })
    }
  }
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => {
    const message = line.trim() === '' ? {} : JSON.parse(line)
    if (message.method) queue = queue.then(() => answer(message)) // messages without a method answer print requests
  })
  lines.on('close', () => queue.finally(() => process.exit(0)))
}

async function call(engine, rpcMethod, params) {
  const method = rpcMethod === 'getDatabaseVersion' ? 'version' : rpcMethod
  if (typeof engine[method] !== 'function')
    throw new Error(`schema engine (wasm): ${rpcMethod} is not available`)
  return (await engine[method](params ?? {})) ?? {}
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** The engine names a driver's error by its number in the registry of the adapter. */
function explain(error, boundFactory) {
  const number = /\d+/.exec(textOf(error))?.[0]
  const cause = number && boundFactory.errorRegistry.consumeError(Number(number))
  return cause ? `${textOf(error)}\n${textOf(cause.error ?? cause)}` : textOf(error)
}

function textOf(error) {
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ')
  return error instanceof Error ? error.message || error.name : JSON.stringify(error)
}

if (options.version) console.log('schema-engine (wasm)')
else if (positionals.includes('cli')) await checkConnection()
else serve()
