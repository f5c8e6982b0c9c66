import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DecimalText } from '../../../src/core/decimal.js'
import { fixedClock, type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { computeFigures } from '../../../src/domains/filings/figures/figures-model.js'
import { lastMarketCap } from '../../../src/domains/filings/market-cap-model.js'
import { isPlausibleCount } from '../../../src/domains/filings/share-counts-model.js'
import { loadReports } from '../../../src/domains/filings/store.js'
import { filingsSink } from '../../../src/ingest/datasets/filings/ingestion.js'
import { bindFeed } from '../../../src/ingest/feed.js'
import { companyFactsFile } from '../../../src/ingest/providers/sec/company-facts.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const text = (count: number) => String(count) as DecimalText // a plain decimal
const day = (date: string): IsoDate => parseIsoDate(date) ?? expect.fail(`${date} is no day`)

describe('a share count', () => {
  it.each<[boolean, number, readonly number[]]>([
    [true, 200, []],
    [true, 15e6, [15e6, 14e6]],
    [true, 750e6, [15e6, 15e6]],
    [true, 150_000, [15e6, 15e6]],
    [false, 200, [15e6]],
    [false, 15_100, [15e6, 15e6, 15e6]],
    [false, 15e12, [15e6, 15e6, 15e6]],
    [false, 200, [15e6, 15e6, 200]],
    [true, 15e6, [15e6, 15e6, 200]],
    [true, 60_000, [15e6, 15e6, 60_000, 60_000]],
    [true, 15e6, [0, 15e6]],
  ])('is plausible (%s): %d after %j', (isPlausible, count, before) => {
    expect(isPlausibleCount(text(count), before.map(text))).toBe(isPlausible)
  })

  it('makes no market capitalisation if it is not plausible, also as the newest one, and says so', () => {
    const count = (date: string, shares: number) => ({ date: day(date), count: text(shares) })
    const price = { date: day('2026-03-02'), close: '64.5' as DecimalText, currency: 'USD' } // a plain decimal
    const lastOf = (...shareCounts: ReturnType<typeof count>[]) =>
      lastMarketCap({ price, shareCounts, changes: [] })
    const capOf = (...shareCounts: ReturnType<typeof count>[]) =>
      lastOf(...shareCounts).valueUsd?.toNumber() ?? null
    const before = [count('2025-07-30', 15e6), count('2025-10-30', 15e6)]
    expect(lastOf(...before, count('2026-02-10', 200))).toEqual({
      valueUsd: null,
      reason:
        'the cover page states 200 shares, where those before state 15000000, 15000000; such a count is not used',
    })
    expect(capOf(...before, count('2026-02-10', 15.2e6))).toBe(980_400_000)
    // A later count that cannot be right says nothing about the one before it.
    expect(capOf(...before, count('2026-04-30', 200))).toBe(967_500_000)
  })
})

describe('a filing with a share count that cannot be right', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())

  const CIK = '0009100001'
  const filing = (year: number, shares: number) => ({
    accn: `0000000009-${String(year + 1).slice(2)}-000001`,
    ...{ form: '10-K', filed: `${year + 1}-02-20`, year, shares },
  })

  const ingest = (...filings: ReturnType<typeof filing>[]) => {
    const income = filings.map(({ year, shares: _, ...facts }) => ({
      ...facts,
      ...{ start: `${year}-01-01`, end: `${year}-12-31`, val: 10 },
    }))
    const counts = filings.map(({ year, shares, ...facts }) => ({
      ...facts,
      end: `${year + 1}-02-10`,
      val: shares,
    }))
    const body = {
      cik: Number(CIK),
      facts: {
        dei: { EntityCommonStockSharesOutstanding: { units: { shares: counts } } },
        'us-gaap': { NetIncomeLoss: { units: { USD: income } } },
      },
    }
    const deps = {
      database,
      clock: fixedClock(new Date('2026-11-20T12:00:00Z')),
      log: createLogger('silent'),
    }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const fetchBody = () => Promise.reject(new Error('nothing is requested'))
    return runFeed({ ...deps, fetchBody }, bindFeed(companyFactsFile, filingsSink), {
      ...{ kind: 'bytes', bytes, origin: 'test' },
    })
  }

  it('has no shares outstanding, with the reason, which the run shows too', async () => {
    const reason =
      'the cover page states 200 shares, where those before state 15000000, 15100000; such a count is not used'
    const run = await ingest(filing(2023, 15_000_000), filing(2024, 15_100_000), filing(2025, 200))
    expect(run.rejections).toEqual([
      { position: `dei:EntityCommonStockSharesOutstanding of ${CIK}, 0000000009-26-000001`, reason },
    ])
    const key = { assetId: 0, cik: CIK, filedBy: null, before: null, limit: 2 }
    const [[newest, earlier] = []] = await loadReports(database, [key])
    const sharesOf = (report: typeof newest) =>
      report && computeFigures(report.facts, report.periodEnd, report.shareCountsBefore).shares_outstanding
    expect(sharesOf(newest)).toMatchObject({ value: null, facts: [], reason, isUnstated: false })
    expect(sharesOf(earlier)?.value?.toNumber()).toBe(15_100_000)
    expect(
      await ingest(filing(2023, 15_000_000), filing(2024, 15_100_000), filing(2025, 15_200_000)),
    ).toMatchObject({
      rejected: 0,
    })
  })
})
