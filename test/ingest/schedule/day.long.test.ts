import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '../../../src/ingest/schedule/job.js'
import { byCron } from '../../../src/ingest/schedule.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import type { Fault } from '../../support/peers/played-providers.js'
import { addAssets, openScheduleWorld, type ScheduleWorld } from './schedule-world.js'

/** A Friday: the rates of the day come out at 15:00 UTC. */
const START = new Date('2026-11-20T00:00:30Z')
const END = new Date('2026-11-21T00:00:30Z')
const MINUTE_MS = 60_000

const at = (time: string) => new Date(`2026-11-20T${time}:00Z`)

/** What goes wrong in the day: from, to, who, how. */
const FAULTS: readonly (readonly [string, string, readonly string[], Fault])[] = [
  ['02:00', '03:00', ['binance'], { kind: 'silence' }],
  ['05:00', '05:10', ['kraken'], { kind: 'status', status: 429, retryAfterS: 3600 }],
  ['08:00', '09:05', ['binance', 'bitstamp', 'coinbase', 'kraken'], { kind: 'page' }],
  ['11:00', '11:30', ['coinbase'], { kind: 'half' }],
  ['15:00', '15:05', ['ecb'], { kind: 'status', status: 429, retryAfterS: 1200 }],
  ['15:05', '15:30', ['ecb'], { kind: 'page' }],
  ['15:30', '15:40', ['ecb'], { kind: 'half' }],
  ['15:40', '16:00', ['ecb'], { kind: 'silence' }],
]

/** Who answers; the others ask to be left alone for as long as the schedule heeds. */
const PLAYED: ReadonlySet<string> = new Set([
  'ecb',
  'bis',
  'boj',
  'binance',
  'bitstamp',
  'coinbase',
  'kraken',
])

function faultAt(provider: string, now: Date): Fault | null {
  const found = FAULTS.find(
    ([from, to, providers]) => now >= at(from) && now < at(to) && providers.includes(provider),
  )
  if (found !== undefined) return found[3]
  return PLAYED.has(provider) ? null : { kind: 'status', status: 429, retryAfterS: 6 * 3600 }
}

/** Every ten minutes: a day in which both assets are asked for each minute takes ten minutes here. */
const INTERVALS_MS = { 1: 10 * MINUTE_MS, 2: 10 * MINUTE_MS, 3: 10 * MINUTE_MS }

/** Runs the job `candles` every 20 minutes instead of each minute: the time stands still while a job runs. */
function lessOften(jobs: readonly Job[]): readonly Job[] {
  const schedule = byCron('*/20 * * * *', 0)
  // Without the masters that ship with the gateway: the day is that of two assets.
  return jobs
    .filter(({ name }) => name !== 'reference')
    .map((job) => (job.name === 'candles' ? { ...job, schedule } : job))
}

interface JobRow {
  readonly job: string
  readonly dueAt: Date
  readonly coversTo: Date
  readonly status: string
  readonly attempt: number
  readonly detail: string | null
}

describe('a day of the schedule, with providers that fail', () => {
  let database: Database
  let world: ScheduleWorld
  let rows: readonly JobRow[]
  let errors: readonly string[]
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    await addAssets(database)
    world = await openScheduleWorld(database, START, lessOften, INTERVALS_MS)
    world.providers.fault = faultAt
    await world.start()
    await world.time.passUntil(END)
    rows = await database.rows<JobRow>(
      `select job, due_at as "dueAt", covers_to as "coversTo", status, attempt, detail from job_run order by due_at`,
    )
    const failed = await database.rows<{ error: string }>(
      `select distinct feed || ': ' || error as error from ingest_run where status = 'failed'`,
    )
    errors = failed.map(({ error }) => error)
    // The last hour of the day is complete once each venue has answered after it.
    await world.time.passUntil(new Date(END.getTime() + 20 * MINUTE_MS))
  }, 300_000)
  afterAll(async () => {
    await world?.close()
    await database?.close()
  })

  /** The requests for bars. The lists of pairs are asked for once a day. */
  const barsAsked = (venue: string) =>
    world.providers.asked.filter(({ provider, url }) => provider === venue && /klines|OHLC/.test(url))

  it('has a run for every due instant of every job, successful or with a reason', () => {
    for (const { name, schedule } of world.jobs) {
      const runs = rows.filter(({ job }) => job === name)
      let due = schedule.last(START)
      for (; due <= END; due = schedule.next(due)) {
        const instant = due
        const met = runs.filter(({ dueAt, coversTo }) => dueAt <= instant && instant <= coversTo)
        expect([name, instant, met.length]).toEqual([name, instant, 1])
      }
      for (const { status, detail } of runs) {
        expect(status === 'succeeded' || detail !== null, `${name} ${detail}`).toBe(true)
      }
    }
  })

  it('runs no job twice for the same instant', () => {
    const runs = rows.filter(({ job }) => job === 'candles')
    const schedule = world.jobs.find(({ name }) => name === 'candles')?.schedule
    for (const [place, run] of runs.slice(1).entries()) {
      expect(run.dueAt).toEqual(schedule?.next(runs[place]?.coversTo ?? END))
    }
    expect(runs.length).toBeGreaterThan(65)
  })

  it('records each kind of fault with its run', () => {
    const text = errors.join('\n')
    expect(text).toMatch(/candles-binance: .* did not answer within/)
    expect(text).toMatch(/candles-kraken: .* answered with status 429/)
    expect(text).toMatch(/candles-bitstamp: .*BrokenBody/)
    expect(text).toMatch(/candles-coinbase: .* is unreachable/)
    for (const reason of ['status 429', 'BrokenBody', 'is unreachable', 'did not answer within']) {
      expect(text).toMatch(new RegExp(`ecb-daily: .*${reason}`))
    }
  })

  it('pauses requests to a venue as long as it asked, and continues with the others', () => {
    const asked = barsAsked('kraken').map((one) => one.at)
    const refused = asked.find((instant) => instant >= at('05:00'))
    const next = asked.find((instant) => refused !== undefined && instant > refused)
    expect(next && refused && next.getTime() - refused.getTime()).toBeGreaterThanOrEqual(60 * MINUTE_MS)
    const meanwhile = rows.find((row) => row.job === 'candles' && row.dueAt >= at('05:20'))
    expect(meanwhile).toMatchObject({
      status: 'succeeded',
      detail: expect.stringMatching(/left alone: kraken/),
    })
  })

  it('sends a silent venue requests less and less often', () => {
    const silent = barsAsked('binance').filter(
      ({ at: instant }) => instant >= at('02:00') && instant < at('03:00'),
    )
    // At once, after 15 s, and after waits that double up to 15 minutes.
    expect(silent.length).toBeGreaterThan(4)
    expect(silent.length).toBeLessThanOrEqual(9)
    const waits = silent
      .slice(1)
      .map(({ at: instant }, place) => instant.getTime() - (silent[place]?.at.getTime() ?? 0))
    for (const [place, wait] of waits.entries())
      expect(wait).toBeGreaterThanOrEqual(Math.min(15_000 * 2 ** place, 15 * MINUTE_MS))
  })

  it('fetches the rates of the day in several attempts of one run, with the pause of the ECB', async () => {
    const runs = rows.filter(({ job, dueAt }) => job === 'forex' && dueAt >= at('15:00'))
    expect(runs).toMatchObject([{ status: 'succeeded', dueAt: at('15:01') }])
    expect(runs[0]?.attempt).toBeGreaterThan(4)
    const [first, second] = world.providers.asked.filter(
      (one) => one.provider === 'ecb' && one.at >= at('15:00'),
    )
    expect((second?.at.getTime() ?? 0) - (first?.at.getTime() ?? 0)).toBeGreaterThanOrEqual(20 * MINUTE_MS)
    expect(
      await database.rows(
        `select quote, rate::float8 from forex_rate where date = '2026-11-20' order by quote`,
      ),
    ).toEqual([
      { quote: 'JPY', rate: 180.11 },
      { quote: 'USD', rate: 1.112 },
    ])
  })

  it('has every candle of the day in the end, at the prices of the venues', async () => {
    const candles = await database.rows(
      `select timeframe, count(*) as n, min(vwap_usd)::float8 as least, max(vwap_usd)::float8 as most, min(exchanges_count) as venues
       from candle where asset_id = 1 and known_to is null and ts >= '2026-11-20' and ts < '2026-11-21' group by timeframe order by 1`,
    )
    expect(candles).toEqual([
      { timeframe: '1h', n: 24, least: 100, most: 100, venues: 4 },
      { timeframe: '1d', n: 1, least: 100, most: 100, venues: 4 },
    ])
  })

  it('analyses each tier at its times, after candles', () => {
    const counts = [1, 2, 3].map(
      (tier) =>
        rows.filter(({ job, dueAt }) => job === `analysis-tier-${tier}` && dueAt >= START && dueAt <= END)
          .length,
    )
    // The hour without candles is met by the run of the next one.
    expect(counts).toEqual([expect.toBeOneOf([23, 24]), 4, 2])
  })
})
