import { resolve } from 'node:path'
import { ACCESS_PARTS } from '../../src/access.js'
import { systemClock } from '../../src/core/time.js'
import { createAccountWithKey, setContract } from '../../src/domains/access/operator.js'
import { createAccess } from '../../src/domains/access/service.js'
import { seedWorld } from '../../src/ingest/seed/seed-world.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { migrate } from '../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../src/platform/database/statement-limits.js'
import { createLogger } from '../../src/platform/logger.js'

const MIGRATIONS = resolve(import.meta.dirname, '../../prisma/migrations')

/** Units of the bench's contract: limits are counted but never reached. */
const UNITS = 1_000_000_000

/** The synthetic world in a PostgreSQL database of its own, and a caller who may ask for all of it. */
export interface World {
  readonly databaseUrl: string
  readonly apiKey: string
  /** Process id of a backend of the server, as the server sees it. */
  readonly backendPid: number
  /** E.g. 15.20. */
  readonly serverVersion: string
  drop(): Promise<void>
}

/** What gateways must be started with to know the world's key. */
export const SECRETS = {
  KEY_PEPPER: 'pepper-of-the-benchmark-only-0123456789',
  JWT_KEYS: `bench:${Buffer.from('signing-key-of-the-benchmark-only').toString('base64url')}`,
} as const

export async function createWorld(serverUrl: string): Promise<World> {
  const server = await openDatabase(
    { kind: 'postgres', url: serverUrl, poolSize: 1 },
    { limits: BATCH_LIMITS },
  )
  const name = `mdg_bench_${process.pid}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const drop = async () => {
    await server.rows(`drop database if exists "${name}" with (force)`)
    await server.close()
  }
  try {
    await server.rows(`create database "${name}" template template0`)
    const database = await openDatabase(
      { kind: 'postgres', url: url.href, poolSize: 2 },
      { limits: BATCH_LIMITS },
    )
    const apiKey = await fill(database).finally(() => database.close())
    const [facts] = await server.rows<{ pid: number; version: string }>(
      `select pg_backend_pid() as pid, split_part(current_setting('server_version'), ' ', 1) as version`,
    )
    const { pid = 0, version = 'unknown' } = facts ?? {}
    return { databaseUrl: url.href, apiKey, backendPid: pid, serverVersion: version, drop }
  } catch (error) {
    await drop()
    throw error
  }
}

/** The same on an embedded database, in a directory that is not there yet; answers the caller's key. */
export async function createEmbeddedWorld(directory: string): Promise<string> {
  const database = await openDatabase({ kind: 'embedded', directory })
  return fill(database).finally(() => database.close())
}

/** The current hours of the seed, a week and a few more, again three times, each a week earlier: 28 days without a gap. */
const MORE_HOURS = `
  insert into candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight,
    methodology_version, sources, source, known_from)
  select asset_id, timeframe, ts - week * interval '7 days', vwap_usd, volume_usd, exchanges_count,
    max_source_weight, methodology_version, sources, source, known_from
  from candle cross join generate_series(1, 3) as week where timeframe = '1h' and known_to is null
  on conflict do nothing`

async function fill(database: Database): Promise<string> {
  await migrate(database, MIGRATIONS)
  await seedWorld(database, new Date())
  await database.rows(MORE_HOURS)
  const apiKey = await addCaller(database)
  await database.rows('vacuum (analyze)')
  return apiKey
}

async function addCaller(database: Database): Promise<string> {
  const access = createAccess({
    database,
    clock: systemClock,
    log: createLogger('silent'),
    pepper: SECRETS.KEY_PEPPER,
    tokenKeys: SECRETS.JWT_KEYS,
    mode: 'live',
    ...ACCESS_PARTS,
  })
  try {
    const account = await createAccountWithKey(access, { tier: 'enterprise', label: 'bench' })
    await setContract(access, account.account_id, { month: UNITS, hour: UNITS })
    return account.raw_key
  } finally {
    await access.close()
  }
}
