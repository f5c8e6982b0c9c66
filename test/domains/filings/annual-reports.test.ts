import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { loadReports } from '../../../src/domains/filings/store.js'
import { filingsSink } from '../../../src/ingest/datasets/filings/ingestion.js'
import { bindFeed } from '../../../src/ingest/feed.js'
import { companyFactsFile } from '../../../src/ingest/providers/sec/company-facts.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

/** Of one filing: an amount over a period, or at a day. */
interface Stated {
  readonly start?: string
  readonly end: string
  readonly val: number
  readonly accn: string
  readonly filed: string
}

const filing = (accn: string, filed: string) => ({
  over: (start: string, end: string, val: number): Stated => ({ start, end, val, accn, filed }),
  at: (end: string, val: number): Stated => ({ end, val, accn, filed }),
})

describe('the annual reports of a filer', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
  })
  afterAll(() => database?.close())

  /** Fiscal years of a company, each with its filing and net income, as they are read from what it filed. */
  async function yearsOf(cik: number, income: readonly Stated[], assets: readonly Stated[], assetId = 0) {
    const units = (facts: readonly Stated[]) => ({
      units: { USD: facts.map((fact) => ({ ...fact, form: '10-K' })) },
    })
    const body = { cik, facts: { 'us-gaap': { NetIncomeLoss: units(income), Assets: units(assets) } } }
    const fetchBody = () => Promise.reject(new Error('nothing is asked'))
    await runFeed(
      {
        database,
        clock: fixedClock(new Date('2026-11-20T12:00:00Z')),
        log: createLogger('silent'),
        fetchBody,
      },
      bindFeed(companyFactsFile, filingsSink),
      { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(body)), origin: 'test' },
    )
    const key = { assetId, cik: String(cik).padStart(10, '0'), filedBy: null, before: null, limit: 5 }
    const [reports = []] = await loadReports(database, [key])
    return reports.map(({ periodEnd, accession, facts }) => [
      periodEnd,
      accession,
      facts.find(({ tag }) => tag === 'NetIncomeLoss')?.value,
    ])
  }

  const before = filing('0000000001-25-000001', '2025-02-20')
  const whole = [before.over('2024-01-01', '2024-12-31', 10), before.over('2023-01-01', '2023-12-31', 9)]

  it('do not use comparative figures of a filing whose own year is short', async () => {
    const fresh = filing('0000000001-26-000001', '2026-02-20')
    const income = [
      ...whole,
      fresh.over('2025-01-01', '2025-09-30', 5),
      fresh.over('2025-10-01', '2025-12-31', 2),
      fresh.over('2024-01-01', '2024-12-31', 11),
    ]
    const assets = [before.at('2024-12-31', 100), fresh.at('2025-12-31', 90), fresh.at('2024-12-31', 100)]
    expect(await yearsOf(9_000_001, income, assets)).toEqual([['2024-12-31', '0000000001-25-000001', '11']])
  })

  it('cover whole years before and after a change of the fiscal year', async () => {
    const between = filing('0000000001-25-000009', '2025-08-20')
    const after = filing('0000000001-26-000009', '2026-08-20')
    const income = [
      ...whole,
      between.over('2025-01-01', '2025-06-30', 6),
      between.over('2024-01-01', '2024-12-31', 10),
      after.over('2025-07-01', '2026-06-30', 13),
      after.over('2025-01-01', '2025-06-30', 6),
      after.over('2024-01-01', '2024-12-31', 10),
    ]
    const assets = [before.at('2024-12-31', 100), between.at('2025-06-30', 90), after.at('2026-06-30', 95)]
    expect((await yearsOf(9_000_002, income, assets)).map(([end, accession]) => [end, accession])).toEqual([
      ['2026-06-30', '0000000001-26-000009'],
      ['2024-12-31', '0000000001-25-000001'],
    ])
  })

  it('do not exist if the first filing after a merger has no whole year', async () => {
    const first = filing('0000000001-26-000002', '2026-02-20')
    const income = [first.over('2025-05-12', '2025-12-31', 4), first.over('2024-01-01', '2024-12-31', 10)]
    expect(await yearsOf(9_000_003, income, [first.at('2025-12-31', 50)])).toEqual([])
  })

  it('cover 52 and 53 weeks, even if the balance sheet names the end of the month', async () => {
    const weeks = filing('0000000001-26-000003', '2026-02-20')
    const income = [weeks.over('2024-12-29', '2025-12-27', 7), weeks.over('2023-12-31', '2024-12-28', 6)]
    expect(await yearsOf(9_000_004, income, [weeks.at('2025-12-31', 50)])).toEqual([
      ['2025-12-27', '0000000001-26-000003', '7'],
    ])
  })

  it('are those of the former registrant too if the company of an asset has a successor', async () => {
    await database.rows(
      `insert into instrument_identifier (asset_id, scheme, value, valid_from, valid_to, known_from, source)
       values (990001, 'cik', '0009000005', null, '2025-08-01', now(), 'test'),
         (990001, 'cik', '0009000006', '2025-08-01', null, now(), 'test')`,
    )
    await yearsOf(9_000_005, whole, [before.at('2024-12-31', 100)])
    const former = ['2024-12-31', '0000000001-25-000001', '10']
    const first = filing('0000000002-26-000001', '2026-02-20')
    const own = [first.over('2025-01-01', '2025-12-31', 12)]
    const assets = [first.at('2025-12-31', 120)]
    expect(await yearsOf(9_000_006, own, assets, 990_001)).toEqual([
      ['2025-12-31', '0000000002-26-000001', '12'],
      former,
    ])
    expect(await yearsOf(9_000_006, own, assets)).toHaveLength(1)
  })
})
