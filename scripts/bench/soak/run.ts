// Measures whether the memory of the gateway stays constant: starts it in production mode on a separate PostgreSQL
// database with seed data, sends mostly new requests to both APIs at a steady rate, many of them invalid or aborted, and
// samples the memory of the process.
// npm run -s bench:soak -- [--minutes 10] [--rate 100] [--cache 8388608] [--gateway dist/main.js] [--json FILE]
// Fails if the resident memory of the last minute is more than 5 % above that of the third, or if a response is wrong.
// BENCH_DATABASE_URL is the server. The database is dropped at the end.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../../src/platform/database/database.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { freePort, startServer } from '../shared/server-process.js'
import { createWorld, SECRETS, type World } from '../world.js'
import { badQuestions } from './bad-questions.js'
import { goodQuestions } from './good-questions.js'
import { type LoadCounts, sendLoad } from './load.js'
import { growthOf, MIN_MINUTES, type Minute, minutesOf, readSample, type Sample } from './memory.js'
import type { Catalogue } from './question.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const DEFAULT_URL = 'postgresql://postgres@127.0.0.1:5432/postgres'

const SAMPLE_MS = 5_000
const MOST_GROWTH = 1.05

/** Share of skipped requests above which the load was not steady. */
const MOST_SKIPPED = 0.05

/**
 * Memory for cached responses. It is small, so that the cache is full within the first minute: until then memory grows
 * without a leak.
 */
const CACHE_BYTES = 8 * 2 ** 20

/** Limits are counted but never reached. */
const BURST_PER_MINUTE = 1_000_000_000

interface Options {
  readonly minutes: number
  /** Requests per second. */
  readonly rate: number
  /** Memory for cached responses, bytes. */
  readonly cache: number
  /** dist/main.js of another build; null to compile and use this tree. */
  readonly gateway: string | null
  readonly json: string | null
}

function readOptions(): Options {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { minutes: text, rate: text, cache: text, gateway: text, json: text },
  })
  const minutes = Number(values.minutes ?? 10)
  const rate = Number(values.rate ?? 100)
  if (!Number.isInteger(minutes) || minutes < MIN_MINUTES) {
    throw new Error(`--minutes must be a whole number, at least ${MIN_MINUTES}`)
  }
  const cache = Number(values.cache ?? CACHE_BYTES)
  if (!Number.isInteger(cache) || cache < 0) throw new Error('--cache must be a whole number of bytes')
  if (!(rate > 0)) throw new Error('--rate must be a number of requests per second')
  return { minutes, rate, cache, gateway: values.gateway ?? null, json: values.json ?? null }
}

async function main(): Promise<void> {
  const options = readOptions()
  const script = options.gateway === null ? compile() : resolve(options.gateway)
  const world = await createWorld(process.env.BENCH_DATABASE_URL ?? DEFAULT_URL)
  try {
    const { samples, tally } = await soak(script, world, options)
    const minutes = minutesOf(samples, options.minutes)
    const growth = growthOf(minutes)
    process.stdout.write(textOf(minutes, growth, tally))
    if (options.json !== null) {
      const answers = Object.fromEntries(tally.answers)
      await writeFile(options.json, `${JSON.stringify({ growth, minutes, samples, answers }, null, 2)}\n`)
    }
    refuse(growth, tally)
  } finally {
    await world.drop()
  }
}

/** Compiles if necessary, and returns the script to start. */
function compile(): string {
  const { status } = spawnSync(process.execPath, [resolve(ROOT, 'scripts/run.mjs'), '--version'], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('the gateway does not compile')
  return resolve(ROOT, 'dist/main.js')
}

async function soak(
  script: string,
  world: World,
  { minutes, rate, cache }: Options,
): Promise<{ readonly samples: readonly Sample[]; readonly tally: LoadCounts }> {
  const metricsPort = await freePort()
  const environment = {
    ...SECRETS,
    NODE_ENV: 'production',
    SCHEDULE: 'off',
    DATABASE_URL: world.databaseUrl,
    METRICS_PORT: String(metricsPort),
    CACHE_BYTES: String(cache),
    BURST_PER_MINUTE: String(BURST_PER_MINUTE),
    OPENFIGI_URL: 'http://127.0.0.1:9', // the discard port: nothing is asked of the outside
  }
  const server = await startServer({
    command: () => [process.execPath, script],
    env: environment,
    core: null,
  })
  try {
    const target = { url: `http://127.0.0.1:${server.port}`, apiKey: world.apiKey }
    const catalogue = await readCatalogue(world.databaseUrl)
    const kinds = [...goodQuestions(catalogue), ...badQuestions(catalogue)]
    const end = new AbortController()
    const load = sendLoad(target, kinds, { perSecond: rate, signal: end.signal })
    const sampling = sample(`http://127.0.0.1:${metricsPort}/metrics`, minutes).finally(() => end.abort())
    const [samples, tally] = await Promise.all([sampling, load])
    return { samples, tally }
  } finally {
    await server.stop()
  }
}

async function readCatalogue(databaseUrl: string): Promise<Catalogue> {
  const database = await openDatabase(
    { kind: 'postgres', url: databaseUrl, poolSize: 1 },
    { limits: BATCH_LIMITS },
  )
  try {
    const assets = await database.rows<{ slug: string; ticker: string }>(
      "select slug, ticker from asset where asset_class = 'crypto' order by asset_id",
    )
    return { slugs: assets.map(({ slug }) => slug), tickers: assets.map(({ ticker }) => ticker) }
  } finally {
    await database.close()
  }
}

async function sample(metricsUrl: string, minutes: number): Promise<readonly Sample[]> {
  const startedAt = performance.now()
  const samples: Sample[] = []
  for (let at = SAMPLE_MS; at <= minutes * 60_000; at += SAMPLE_MS) {
    await sleep(Math.max(0, startedAt + at - performance.now()))
    samples.push(await readSample(metricsUrl, startedAt))
  }
  return samples
}

const MEBIBYTE = 2 ** 20

function textOf(
  minutes: readonly Minute[],
  growth: number,
  { answers, due, skipped, oddities }: LoadCounts,
): string {
  const mebibytes = (bytes: number) => (bytes / MEBIBYTE).toFixed(1).padStart(10)
  return [
    ...[...answers].sort().map(([kind, count]) => `${kind.padEnd(32)}${String(count).padStart(8)}`),
    `${due} requests, ${skipped} left out while too many were open; ${oddities} cut off, dropped or followed as a stream`,
    `${'minute'.padStart(8)}${'RSS MiB'.padStart(10)}${'heap MiB'.padStart(10)}${'ext. MiB'.padStart(10)}`,
    ...minutes.map(
      ({ minute, ...of }) =>
        String(minute).padStart(8) +
        [of.rssBytes, of.heapUsedBytes, of.externalBytes].map(mebibytes).join(''),
    ),
    `RSS of the last minute is ${growth.toFixed(3)} of the third`,
    '',
  ].join('\n')
}

function refuse(growth: number, { unexpected, due, skipped }: LoadCounts): void {
  const faults = [...unexpected].map(([kind, text]) => `${kind}: ${text}`)
  if (skipped > due * MOST_SKIPPED) {
    faults.push(`${skipped} of ${due} requests were left out: the gateway does not keep the rate`)
  }
  if (!(growth <= MOST_GROWTH))
    faults.push(`resident memory grew to ${growth.toFixed(3)} of the third minute`)
  if (faults.length > 0) throw new Error(`the soak failed:\n  ${faults.join('\n  ')}`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
