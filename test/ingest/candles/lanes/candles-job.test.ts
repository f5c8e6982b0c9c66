import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { createCandlesJob } from '../../../../src/ingest/candles/lanes/candles-job.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken']
const log = createLogger('silent')

interface Rest {
  readonly until: string
  readonly cause: string
}

describe('the job candles, which checks the lanes', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await emptiedOfFew(database, ['asset', 'lane_node', 'venue_coverage'])
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
       select id, 'coin-' || id, 'C' || id, 'Coin', 'crypto', 1 + (id > 20)::int, now(), 'test'
       from generate_series(1, 40) as id`,
    )
  })

  const run = () => {
    const { signal } = new AbortController()
    const http = createHttpClient({ log, userAgent: 'test' })
    const clock = fixedClock(NOW)
    return createCandlesJob(null).run({ database, clock, http, log, signer: null, coversTo: NOW, signal })
  }
  const publish = (rests: Readonly<Record<string, Rest>> = {}) => {
    const lanes = VENUES.map((venue) => ({
      ...{ venue, queue: 1, oldestDueSeconds: 0, requestsInLastMinute: 1 },
      restUntil: rests[venue]?.until ?? null,
      restCause: rests[venue]?.cause ?? null,
    }))
    return database.rows(
      `insert into lane_node values (gen_random_uuid(), clock_timestamp() + interval '1 hour', $1::jsonb)`,
      [JSON.stringify(lanes)],
    )
  }
  /** Every asset was asked so many minutes ago, but those from `late` on much earlier. */
  const cover = (minutes: number, late = 41) =>
    database.rows(
      `insert into venue_coverage (asset_id, venue, is_listed, covered_to, asked_at, newest_bar_at)
       select id, 'kraken', true, at, at, at from (
         select id, $1::timestamptz - case when id < $3 then $2 else 1000 end * interval '1 minute' as at
         from generate_series(1, 40) as id) as asked`,
      [NOW, minutes, late],
    )

  it('waits for assets, for a node and for the first answers', async () => {
    await database.rows('delete from asset')
    expect((await run()).unfinished).toBe('the database has no crypto assets yet')
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
       values (1, 'bitcoin', 'BTC', 'Bitcoin', 'crypto', 1, now(), 'test')`,
    )
    expect((await run()).unfinished).toBe('no node requests bars yet')
    await publish()
    expect((await run()).unfinished).toBe('1 of 1 assets are older than their refresh interval')
  })

  it('succeeds while the assets are as fresh as their tiers demand', async () => {
    await publish()
    await cover(59)
    expect(await run()).toMatchObject({ note: null, isPartial: false, unfinished: null })
    await database.rows('delete from venue_coverage')
    await cover(61)
    // The 20 assets of tier 1 may be an hour old, the others six.
    expect((await run()).unfinished).toBe('20 of 40 assets are older than their refresh interval')
  })

  it('names few late assets, and is not stopped by them', async () => {
    await publish()
    await cover(1, 40)
    expect(await run()).toMatchObject({
      note: '1 of 40 assets are older than their refresh interval',
      isPartial: true,
      unfinished: null,
    })
  })

  it('names an exchange whose answers have no bars, and stops if all exchanges answer so', async () => {
    await publish()
    await cover(1)
    await database.rows(
      `insert into venue_coverage (asset_id, venue, is_listed, covered_to, asked_at, newest_bar_at)
       values (1, 'binance', true, $1, $1, null), (1, 'coinbase', true, $1, $1, $2), (1, 'bitstamp', true, $1, $1, $3)`,
      [NOW, new Date(NOW.getTime() - 61 * 60_000), new Date(NOW.getTime() - 59 * 60_000)],
    )
    expect(await run()).toMatchObject({
      note: 'no new bars from binance, coinbase',
      isPartial: true,
      unfinished: null,
    })
    await database.rows('update venue_coverage set newest_bar_at = null')
    expect((await run()).unfinished).toBe('no new bars from binance, bitstamp, coinbase, kraken')
  })

  it('does not wait for assets that no exchange lists or can list', async () => {
    await publish()
    await cover(1)
    await database.rows(`update venue_coverage set is_listed = false, asked_at = $1 where asset_id > 10`, [
      new Date(NOW.getTime() - 20 * 3_600_000),
    ])
    await database.rows('delete from venue_coverage where asset_id > 35')
    await database.rows(`update asset set ticker = 'C.' || asset_id where asset_id > 35`)
    expect(await run()).toMatchObject({ note: null, unfinished: null })
  })

  it('names an exchange that does not answer, and fails until the first pause ends if none does', async () => {
    await cover(1)
    await publish({ kraken: { until: '2026-11-20T12:02:30.000Z', cause: 'status 429' } })
    expect((await run()).note).toBe('left alone: kraken until 2026-11-20T12:02:30Z (first: status 429)')
    await database.rows('delete from lane_node')
    await publish(
      Object.fromEntries(
        VENUES.map((venue, place) => [
          venue,
          { until: `2026-11-20T12:0${place + 1}:00.000Z`, cause: 'down' },
        ]),
      ),
    )
    await expect(run()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^no exchange answers; left alone: binance until 2026-11-20T12:01:00Z .*, kraken until/,
      ),
      retryAfterMs: 60_000,
    })
  })
})
