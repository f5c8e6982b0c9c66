import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'
import { runOperatorFile } from '../../../support/ingest/run-group.js'

const MONDAY = '2026-11-23T10:30:00Z'
const TUESDAY = '2026-11-24T10:30:00Z'
const WEDNESDAY = '2026-11-25T10:30:00Z'

const CLOSES = 'ticker,mic,date,close,currency'
const ALL = 'ticker,mic,date,open,high,low,close,volume,currency'

describe.each(availableDatabases())("the operator's file of prices, on %s", (kind) => {
  let database: Database
  const deps = (now: string) => ({
    database,
    clock: fixedClock(now),
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const give = (now: string, ...lines: readonly string[]) => {
    const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`)
    return runOperatorFile('prices', deps(now), { kind: 'bytes', bytes, origin: 'prices.csv' })
  }
  const prices = (where = 'known_to is null') =>
    database.rows(
      `select date::text, trim_scale(open)::float8 as open, high::float8 as high, low::float8 as low,
         close::float8 as close, volume::float8 as volume
       from daily_price where ${where} order by date, known_from`,
    )

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const reference = findFeed('reference')
    await runFeed(deps(MONDAY), reference, usualSourceOf(reference.feed))
  })
  beforeEach(() => emptiedOfFew(database, ['daily_price']))
  afterAll(() => database?.close())

  it('stores open, high, low and volume, and null for those that it does not have', async () => {
    const summary = await give(
      MONDAY,
      ALL,
      'NVDA,XNAS,2026-01-29,191.5,194,190.25,192.5,171000000,USD',
      'NVDA,XNAS,2026-01-30,,,,191.13,,USD',
      'IVV,,2026-01-30,690,691,689,690.5,5000000,USD',
    )
    expect(summary).toMatchObject({ read: 3, added: 3, rejected: 0 })
    expect(await prices()).toEqual([
      { date: '2026-01-29', open: 191.5, high: 194, low: 190.25, close: 192.5, volume: 171_000_000 },
      { date: '2026-01-30', open: null, high: null, low: null, close: 191.13, volume: null },
      { date: '2026-01-30', open: 690, high: 691, low: 689, close: 690.5, volume: 5_000_000 },
    ])
  })

  it('keeps the other prices of a day if a file of closes states the same close', async () => {
    const full = { date: '2026-01-29', open: 191.5, high: 194, low: 190.25, close: 192.5, volume: 171 }
    await give(MONDAY, ALL, 'NVDA,XNAS,2026-01-29,191.5,194,190.25,192.5,171,USD')
    expect(await give(TUESDAY, CLOSES, 'NVDA,XNAS,2026-01-29,192.5,USD')).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 1,
    })
    expect(await prices()).toEqual([full])
  })

  it('replaces the whole day if a file of closes states another close, and the earlier prices stay known', async () => {
    await give(MONDAY, ALL, 'NVDA,XNAS,2026-01-29,191.5,194,190.25,192.5,171,USD')
    expect(await give(TUESDAY, CLOSES, 'NVDA,XNAS,2026-01-29,195,USD')).toMatchObject({ revised: 1 })
    expect(await prices('true')).toMatchObject([
      { high: 194, close: 192.5, volume: 171 },
      { high: null, close: 195, volume: null },
    ])
  })

  it('adds open, high, low and volume to a close that was stored before', async () => {
    await give(MONDAY, CLOSES, 'NVDA,XNAS,2026-01-29,192.5,USD')
    const full = 'NVDA,XNAS,2026-01-29,191.5,194,190.25,192.5,171,USD'
    expect(await give(TUESDAY, ALL, full)).toMatchObject({ revised: 1 })
    expect(await give(WEDNESDAY, ALL, full)).toMatchObject({ revised: 0, unchanged: 1 })
    expect(await prices()).toMatchObject([{ open: 191.5, high: 194, low: 190.25, close: 192.5, volume: 171 }])
  })

  it('refuses prices that contradict each other and a volume that is no number of shares, with the reason', async () => {
    const summary = await give(
      MONDAY,
      ALL,
      'NVDA,XNAS,2026-01-28,191,190,189,189.5,1,USD',
      'NVDA,XNAS,2026-01-29,191,192,190,189,1,USD',
      'NVDA,XNAS,2026-01-30,191,192,190,191,1.5,USD',
      'NVDA,XNAS,2026-02-02,0,192,190,191,-1,USD',
      'NVDA,XNAS,2026-02-03,191,192,190,191,0,USD',
    )
    expect(summary.rejections.map(({ position, reason }) => `${position}: ${reason}`)).toEqual([
      'line 2: open 191 is above high 190',
      'line 3: close 189 is below low 190',
      'line 4: volume "1.5" must be a whole number of shares, 0 or more',
      'line 5: open "0" must be above zero and below 10^12, with at most 8 decimals; volume "-1" must be a whole number of shares, 0 or more',
    ])
    expect(await prices()).toMatchObject([{ date: '2026-02-03', volume: 0 }])
  })
})
