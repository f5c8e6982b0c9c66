// Measures whether reads of candles stay as fast while the table grows. For each size it makes a PostgreSQL database
// of its own, fills it by `insert ... select generate_series` (indexes are made after, as for any bulk load), runs
// VACUUM ANALYZE and then times the store's reads at all sizes in turn, so that a noisy machine hits all alike.
// npm run -s bench:growth -- [--sizes 1e5,1e6,1e7] [--rounds 40] [--json FILE]
// BENCH_DATABASE_URL names the server; the databases are dropped in the end.
import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { WINDOW_MS } from '../../src/domains/market/model.js'
import { readCandles, readLatest } from '../../src/domains/market/series-store.js'
import { type Database, openDatabase, type Sql } from '../../src/platform/database.js'
import { migrate } from '../../src/platform/migrate.js'

const MIGRATIONS = resolve(import.meta.dirname, '../../prisma/migrations')
const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'
const DEFAULT_SIZES = '1e5,1e6,1e7'
const DEFAULT_ROUNDS = 40
const WARM_UP_ROUNDS = 3

/** Reads per round and size. */
const SERIES_READS = 10
const LATEST_READS = 5

const CANDLES_PER_READ = 500
const ASSETS_PER_LATEST = 20

/** Hour candles are kept for five years; beyond that a table grows by assets. */
const MAX_HOURS = 5 * 365 * 24
const MIN_ASSETS = 20

/** End of the newest window. */
const END = new Date('2026-11-20T00:00:00Z')

interface Stage {
  readonly size: number
  readonly name: string
  readonly database: Database
  readonly assets: number
  readonly hours: number
  readonly rows: number
  readonly loadSeconds: number
}

interface Timings {
  readonly series: number[]
  readonly latest: number[]
}

async function main(): Promise<void> {
  const options = { sizes: { type: 'string' }, rounds: { type: 'string' }, json: { type: 'string' } } as const
  const { values } = parseArgs({ options })
  const sizes = (values.sizes ?? DEFAULT_SIZES).split(',').map(Number)
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS)
  if (![...sizes, rounds].every((count) => Number.isInteger(count) && count > 0)) {
    throw new Error('--sizes and --rounds are whole numbers, such as 1e5,1e6')
  }
  const serverUrl = process.env.BENCH_DATABASE_URL ?? DEFAULT_URL
  const server = await openDatabase({ kind: 'postgres', url: serverUrl, poolSize: 1 })
  const stages: Stage[] = []
  try {
    for (const size of sizes.sort((a, b) => a - b)) stages.push(await prepare(server, serverUrl, size))
    const report = reportOf(stages, await measure(stages, rounds), rounds)
    process.stdout.write(textOf(report))
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
  } finally {
    for (const { database, name } of stages) {
      await database.close()
      await server.rows(`drop database if exists "${name}" with (force)`)
    }
    await server.close()
  }
}

async function prepare(server: Database, serverUrl: string, size: number): Promise<Stage> {
  const name = `mdg_growth_${size}_${process.pid}`
  await server.rows(`create database "${name}" template template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const database = await openDatabase({ kind: 'postgres', url: url.href, poolSize: 1 })
  try {
    await migrate(database, MIGRATIONS)
    const startedAt = performance.now()
    const hours = Math.min(MAX_HOURS, Math.floor((size / MIN_ASSETS) * (24 / 25)))
    const assets = Math.round(size / (hours * (25 / 24)))
    await load(database, assets, hours)
    await refuseOtherPlans(database)
    const [count] = await database.rows<{ rows: number }>('select count(*) as rows from candle')
    const loadSeconds = (performance.now() - startedAt) / 1000
    const rows = count?.rows ?? 0
    process.stderr.write(`${rows} candles of ${assets} assets loaded in ${loadSeconds.toFixed(1)} s\n`)
    return { size, name, database, assets, hours, rows, loadSeconds }
  } catch (error) {
    await database.close()
    await server.rows(`drop database if exists "${name}" with (force)`)
    throw error
  }
}

/** In the order of time, all assets of a window together, as ingestion writes them. */
const INSERT = (timeframe: '1h' | '1d') => `
  insert into candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight,
    methodology_version, sources, source, known_from)
  select asset_id, '${timeframe}', ts, round((asset_id * 10 + 20 * random())::numeric, 12),
    round((1e7 * random())::numeric, 6), 4, round((0.25 + 0.25 * random())::numeric, 10),
    'vwap-consensus-1', '[{"venue":"bench"}]', 'bench', ts + interval '1 day'
  from generate_series($1::timestamptz, $2::timestamptz, $3::interval) as ts
  cross join generate_series(1, $4::int) as asset_id`

async function load(database: Database, assets: number, hours: number): Promise<void> {
  const indexes = await database.rows<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name,
       replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition -- on the partitions as well
     from pg_index where indrelid = 'candle'::regclass and not indisprimary`,
  )
  const drops = indexes.map(({ name }) => `drop index ${name};`).join('\n')
  await database.script(`alter table candle drop constraint candle_pkey; ${drops}`)
  const first = (ms: number, count: number) => new Date(END.getTime() - ms * count)
  for (const [timeframe, count] of [
    ['1h', hours],
    ['1d', Math.floor(hours / 24)],
  ] as const) {
    const lengthMs = WINDOW_MS[timeframe]
    const step = timeframe === '1h' ? '1 hour' : '1 day'
    await database.rows(INSERT(timeframe), [first(lengthMs, count), first(lengthMs, 1), step, assets])
  }
  await database.script(`set maintenance_work_mem = '256MB';
    alter table candle add constraint candle_pkey primary key (asset_id, timeframe, ts, known_from);
    ${indexes.map(({ definition }) => `${definition};`).join('\n')}`)
  await database.rows('vacuum (analyze) candle')
}

/** The figures mean nothing unless the reads go the way they are meant to. */
async function refuseOtherPlans(database: Database): Promise<void> {
  const lines: string[] = []
  const explaining: Sql = {
    rows: async <Row>(sql: string, parameters?: readonly unknown[]) => {
      const plan = await database.rows<{ 'QUERY PLAN': string }>(`explain ${sql}`, parameters)
      lines.push(...plan.map((line) => line['QUERY PLAN']))
      return [] as readonly Row[]
    },
  }
  const first = new Date(END.getTime() - CANDLES_PER_READ * WINDOW_MS['1h'])
  await readCandles(explaining, [1], { timeframe: '1h', first, end: END, asOf: null })
  const scans = lines.filter((line) => line.includes(' on candle'))
  if (scans.length > 0 && scans.every((line) => line.includes('Index Only Scan'))) return
  throw new Error(`the read is no index-only scan:\n${lines.join('\n')}`)
}

async function measure(stages: readonly Stage[], rounds: number): Promise<ReadonlyMap<Stage, Timings>> {
  const timings = new Map(stages.map((stage): [Stage, Timings] => [stage, { series: [], latest: [] }]))
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    // Each round begins with another size.
    const turn = Math.abs(round) % stages.length
    for (const stage of [...stages.slice(turn), ...stages.slice(0, turn)]) {
      const into = round < 0 ? { series: [], latest: [] } : timings.get(stage)
      for (let read = 0; read < SERIES_READS; read++) into?.series.push(await timed(() => readSeries(stage)))
      for (let read = 0; read < LATEST_READS; read++) into?.latest.push(await timed(() => readNewest(stage)))
    }
  }
  return timings
}

/** 500 hours of some asset at some time. */
async function readSeries({ database, assets, hours }: Stage): Promise<void> {
  const assetId = randomInt(1, assets + 1)
  const hoursBack = randomInt(0, hours - CANDLES_PER_READ)
  const end = new Date(END.getTime() - hoursBack * WINDOW_MS['1h'])
  const first = new Date(end.getTime() - CANDLES_PER_READ * WINDOW_MS['1h'])
  const found = await readCandles(database, [assetId], { timeframe: '1h', first, end, asOf: null })
  const count = found.get(assetId)?.length
  if (count !== CANDLES_PER_READ) throw new Error(`${count} candles instead of ${CANDLES_PER_READ}`)
}

async function readNewest({ database, assets }: Stage): Promise<void> {
  const first = randomInt(0, assets - ASSETS_PER_LATEST + 1)
  const assetIds = Array.from({ length: ASSETS_PER_LATEST }, (_, index) => first + index + 1)
  const found = await readLatest(database, assetIds, END)
  const newest = [...found.values()].filter(({ candle }) => candle?.endsAt.getTime() === END.getTime())
  if (newest.length !== ASSETS_PER_LATEST) throw new Error(`${newest.length} newest candles`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

interface Figures {
  readonly p50Ms: number
  readonly p99Ms: number
  /** p50 against that of the smallest size. */
  readonly ratio: number
}

interface Report {
  readonly machine: string
  readonly rounds: number
  readonly sizes: readonly {
    readonly rows: number
    readonly assets: number
    readonly loadSeconds: number
    readonly series500: Figures
    readonly latest20: Figures
  }[]
}

function reportOf(stages: readonly Stage[], timings: ReadonlyMap<Stage, Timings>, rounds: number): Report {
  const of = (stage: Stage | undefined, read: keyof Timings, share: number) =>
    quantile((stage && timings.get(stage)?.[read]) ?? [], share)
  const figures = (stage: Stage, read: keyof Timings): Figures => ({
    p50Ms: of(stage, read, 0.5),
    p99Ms: of(stage, read, 0.99),
    ratio: of(stage, read, 0.5) / of(stages[0], read, 0.5),
  })
  return {
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
    rounds,
    sizes: stages.map((stage) => ({
      rows: stage.rows,
      assets: stage.assets,
      loadSeconds: stage.loadSeconds,
      series500: figures(stage, 'series'),
      latest20: figures(stage, 'latest'),
    })),
  }
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function textOf({ machine, rounds, sizes }: Report): string {
  const cell = (value: number, places: number) => value.toFixed(places).padStart(10)
  const figures = ({ p50Ms, p99Ms, ratio }: Figures) => cell(p50Ms, 2) + cell(p99Ms, 2) + cell(ratio, 2)
  const head = ['rows', 'assets', 'load s', '500 p50', '500 p99', 'ratio', '20 p50', '20 p99', 'ratio']
  const lines = sizes.map(
    ({ rows, assets, loadSeconds, series500, latest20 }) =>
      cell(rows, 0) + cell(assets, 0) + cell(loadSeconds, 1) + figures(series500) + figures(latest20),
  )
  const note =
    'ms; 500: one read of 500 candles, 20: the newest candle of 20 assets; ratio of p50 to the smallest'
  return `${machine}; ${rounds} rounds\n${head.map((name) => name.padStart(10)).join('')}\n${lines.join('\n')}\n${note}\n`
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
})
