import { Agent } from 'node:http'
import pg from 'pg'
import { type Health, probeHealth } from '../shared/health-probe.js'
import { MemorySampler, residentBytes } from '../shared/resident-memory.js'
import type { Target } from '../shared/target.js'
import { type PostResult, post } from './post.js'

/** Operations with many nested series. */
export interface WideQuery {
  /** Nested series per asset in each operation. */
  readonly aliases: number
  readonly atOnce: number
}

export interface WideResult extends WideQuery {
  readonly answers: readonly PostResult[]
  readonly bytesBefore: number | null
  readonly peakBytes: number
  /** How the process ended; null if it did not. */
  readonly ended: string | null
  /** The longest time of /healthz is how long the event loop was blocked. */
  readonly health: readonly Health[]
}

const ASSETS = 100
const CANDLES = 1000
const HOUR_MS = 3_600_000

const CANDLE =
  'ts open high low close vwap_usd volume_usd exchanges_count max_source_weight_pct consensus_status'

/** Repeats the hours of the last week until an asset has as many as a response may contain. */
const MORE_HOURS = `
  insert into candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight,
    methodology_version, sources, source, known_from)
  select asset_id, timeframe, ts - week * interval '7 days', vwap_usd, volume_usd, exchanges_count,
    max_source_weight, methodology_version, sources, source, known_from
  from candle cross join generate_series(4, 6) as week
  where timeframe = '1h' and ts >= now() - interval '7 days'`

/** Adds hourly candles to the database of a target, once per target. */
export async function addHours({ gateway }: Target): Promise<void> {
  const client = new pg.Client({ connectionString: gateway.world.databaseUrl })
  await client.connect()
  try {
    await client.query(MORE_HOURS)
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}

function queryOf(aliases: number): string {
  const from = new Date(Date.now() - CANDLES * HOUR_MS).toISOString()
  const series = Array.from(
    { length: aliases },
    // Different limits prevent the series from sharing a read.
    (_, alias) =>
      `a${alias}: ohlcv(timeframe: H1, limit: ${CANDLES - alias}, from: "${from}") { candles { ${CANDLE} } }`,
  )
  return `{ assets(asset_class: crypto, limit: ${ASSETS}) { data { ${series.join(' ')} } } }`
}

/** Starts a process, sends the operations and waits for all responses. */
export async function attackWithWideQuery(
  target: Target,
  { aliases, atOnce }: WideQuery,
  timeoutMs: number,
): Promise<WideResult> {
  const server = await target.start()
  const agent = new Agent({ keepAlive: true })
  try {
    const headers = { 'x-api-key': target.gateway.world.apiKey }
    const ask = (query: string) => post({ port: server.port, agent, query, headers, timeoutMs })
    await ask('{ assets(asset_class: crypto, limit: 1) { data { ticker } } }') // opens the connections
    const bytesBefore = residentBytes(server.pid)
    const probe = await probeHealth(server.port)
    const memory = new MemorySampler(server.pid)
    const query = queryOf(aliases)
    const answers = await Promise.all(Array.from({ length: atOnce }, () => ask(query)))
    const health = await probe.stop()
    return { aliases, atOnce, answers, bytesBefore, peakBytes: memory.stop(), ended: server.ended(), health }
  } finally {
    agent.destroy()
    await server.stop()
  }
}
