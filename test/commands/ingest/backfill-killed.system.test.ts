import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { loadSources } from '../../domains/market/stored-sources.js'
import { quickestDatabase } from '../../support/database/database.js'
import { type PlayedProviders, playProviders } from '../../support/peers/played-providers.js'
import { compiled } from '../../support/processes/compiled.js'
import { runScript } from '../../support/processes/run-script.js'
import { type Installation, inDatabase, newInstallation } from '../admin-world.js'

const DAY_MS = 86_400_000

/** Old enough for a backfill, by the clock of this machine. */
const FIRST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 60 * DAY_MS
const DAYS = Array.from({ length: 4 }, (_, at) => new Date(FIRST_MS + at * DAY_MS))
const ARGS = [
  'candles',
  ...['--from', textOf(FIRST_MS), '--to', textOf(FIRST_MS + 4 * DAY_MS)],
  ...['--asset', 'tether,bitcoin', '--json'],
]

function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Venues of the backfill, OKX among them. */
const VENUES = ['binance', 'bitstamp', 'coinbase', 'okx']

describe('a backfill that is killed', { timeout: 180_000 }, () => {
  let installation: Installation
  let providers: PlayedProviders
  let env: NodeJS.ProcessEnv
  beforeAll(async () => {
    installation = await newInstallation(quickestDatabase(), 'empty')
    await inDatabase(installation, (database) => seedWorld(database, systemClock.now(), ['instruments']))
    providers = await playProviders(systemClock, { reachMs: 100 * DAY_MS })
    env = { ...installation.env, ...providers.env }
  }, 120_000)
  afterAll(async () => {
    await providers?.close()
    await installation?.remove()
  })

  const rows = <Row extends object>(sql: string) =>
    inDatabase(installation, (database: Database) => database.rows<Row>(sql))
  const askedDays = () => {
    const days = providers.asked.flatMap(({ provider, url }) =>
      provider === 'okx' ? new URL(url, 'http://played').searchParams.get('before') : [],
    )
    return new Set(days.map((before) => textOf(Number(before) + 1)))
  }

  it('continues where it stopped, without lost or repeated days', async () => {
    const child = spawn(process.execPath, [await compiled('src/commands/ingest.ts'), ...ARGS], {
      env,
      stdio: 'ignore',
    })
    const ended = once(child, 'close')
    // Days are asked from the newest on: with the second under way, the first is done.
    await expect.poll(() => askedDays().size, { timeout: 120_000, interval: 20 }).toBeGreaterThanOrEqual(3)
    child.kill('SIGKILL')
    expect((await ended)[1]).toBe('SIGKILL')

    const done = await rows<{ day: string; assets: number }>(
      `select to_char(day, 'YYYY-MM-DD') as day, count(*)::int as assets from candle_backfill group by day order by day`,
    )
    expect(done.length).toBeGreaterThanOrEqual(2)
    expect(done.length).toBeLessThan(4)
    const before = await candles()
    const whole = done.filter(({ assets }) => assets === 2).map(({ day }) => day)
    expect(before.filter(({ slug, day }) => slug === 'bitcoin' && whole.includes(day))).toEqual(
      whole.map((day) => ({ slug: 'bitcoin', day, frames: '1d 24', prices: '100' })),
    )

    providers.asked.length = 0
    const { code, out } = await runScript('src/commands/ingest.ts', ARGS, env)
    expect(code).toBe(0)
    const notes = done.reduce((sum, { assets }) => sum + assets, 0)
    expect(JSON.parse(out)).toMatchObject({ windows: 8, skipped: notes, isComplete: true })
    for (const day of whole) expect(askedDays()).not.toContain(day)
    expect(new Set(providers.asked.map(({ provider }) => provider))).toEqual(new Set(VENUES))
    const okx = providers.asked.filter(({ provider }) => provider === 'okx')
    expect(
      okx.every(({ url }) => url.startsWith('/okx/api/v5/market/history-candles?instId=BTC-USDT&')),
    ).toBe(true)

    expect(await candles()).toEqual(
      ['bitcoin', 'tether'].flatMap((slug) =>
        DAYS.map((day) => ({
          slug,
          day: textOf(day.getTime()),
          frames: '1d 24',
          // Two venues alone trade tether in dollars, so it has no price of its own.
          prices: slug === 'bitcoin' ? '100' : null,
        })),
      ),
    )
    expect(await rows(`select 1 as one from candle where known_to is not null`)).toEqual([])
    expect(await rows('select distinct exchanges_count as used from candle where asset_id = 1')).toEqual([
      { used: 4 },
    ])
    const sources = await loadSources({ rows: (sql) => rows(sql as string) as never }, 'c.asset_id = 1')
    for (const each of sources) expect(each.map(({ venue }) => venue)).toEqual(VENUES)
    expect(
      await rows(
        `select status, sum(added)::int as added from ingest_run where feed = 'candles-backfill' group by status`,
      ),
    ).toEqual([{ status: 'succeeded', added: 2 * 4 * 25 }])
  })

  /** By asset and day: the candle of the day and how many of hours, with the prices that they have. */
  const candles = () =>
    rows<{ slug: string; day: string; frames: string; prices: string | null }>(
      `select a.slug, to_char(c.ts at time zone 'UTC', 'YYYY-MM-DD') as day,
         case when count(*) filter (where timeframe = '1d') = 1 then '1d ' else 'no day ' end
           || count(*) filter (where timeframe = '1h') as frames,
         string_agg(distinct trim_scale(vwap_usd)::text, ',') as prices
       from candle as c join asset as a using (asset_id) where known_to is null group by 1, 2 order by 1, 2`,
    )
})
