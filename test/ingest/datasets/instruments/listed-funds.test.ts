import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { loadAssetIndex } from '../../../../src/domains/assets/index-store.js'
import {
  withPublishedKeys,
  writeInstruments,
} from '../../../../src/domains/instruments/masters/masters-store.js'
import { loadListingsByTicker } from '../../../../src/domains/instruments/store.js'
import { runFundLists } from '../../../../src/ingest/datasets/instruments/run-fund-lists.js'
import { type FeedRequest, IngestError, RetryLater } from '../../../../src/ingest/feed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'
import { runOperatorFile } from '../../../support/ingest/run-group.js'
import { createInstrument } from '../../../support/instrument.js'

type Fund = readonly [cik: number, seriesId: string, classId: string, symbol: string, name: string]

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...['listed_symbol', 'fund_class', 'ingest_run', 'dataset_state'],
]

// Lines of the SEC's list; the first three are funds of the reference.
const IVV: Fund = [1100663, 'S000004310', 'C000012040', 'IVV', 'iShares Core S&P 500 ETF']
const QQQ: Fund = [1067839, 'S000101292', 'C000271435', 'QQQ', 'Invesco QQQ Trust, Series 1']
const VTI: Fund = [36405, 'S000002848', 'C000007808', 'VTI', 'Vanguard Total Stock Market Index Fund']
const SOXX: Fund = [1100663, 'S000004354', 'C000012084', 'SOXX', 'iShares Semiconductor ETF']
const BND: Fund = [794105, 'S000002564', 'C000046844', 'BND', 'Vanguard Total Bond Market Index Fund']
const MUTUAL: Fund = [2110, 'S000009184', 'C000024954', 'LACAX', 'Columbia Acorn Fund']
const KNOWN = [IVV, QQQ, VTI, SOXX, BND, MUTUAL]

/** Thirty classes that no test changes, so that a few missing ones do not look like a list that is cut off. */
const OTHERS: readonly Fund[] = Array.from({ length: 30 }, (_, at) => [
  ...([9_000, `S00009${1000 + at}`, `C00009${1000 + at}`] as const),
  `O${String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26))}`,
  `Other ${at} ETF`,
])

const HEADER = 'CIK Number,Entity Name,Series ID,Series Name,Class ID,Class Name,Class Ticker'
const textOf = (bytes: string) => new TextEncoder().encode(bytes)
const listOf = (funds: readonly Fund[]) =>
  JSON.stringify({
    fields: ['cik', 'seriesId', 'classId', 'symbol'],
    data: [...funds, ...OTHERS].map((fund) => fund.slice(0, 4)),
  })
const namesOf = (funds: readonly Fund[]) =>
  `${[HEADER, ...[...funds, ...OTHERS].map(([cik, series, id, symbol, name]) => `${cik},TRUST,${series},"${name}",${id},"${name}",${symbol}`)].join('\n')}\n`

describe.each(availableDatabases())('ETFs from the list of funds of the SEC on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  const deps = (day: string) => ({
    database,
    clock: fixedClock(new Date(`${day}T10:30:00Z`)),
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const run = (day: string, id: string, body: string, isSaidWhole = false) =>
    runFeed(deps(day), findFeed(id), {
      ...{ kind: 'bytes', bytes: textOf(body), origin: 'test' },
      isSaidWhole,
    } as Parameters<typeof runFeed>[2])
  const runNames = (day: string, funds: readonly Fund[] = KNOWN) => run(day, 'sec-fund-names', namesOf(funds))
  const runList = (day: string, ...funds: readonly Fund[]) => run(day, 'sec-funds', listOf(funds))
  const runCompanies = (day: string, ...lines: readonly (readonly [number, string, string, string])[]) =>
    run(day, 'sec-symbols', JSON.stringify({ fields: ['cik', 'name', 'ticker', 'exchange'], data: lines }))
  const runReference = (day: string) => {
    const bound = findFeed('reference')
    return runFeed(deps(day), bound, usualSourceOf(bound.feed))
  }
  const listing = async (ticker: string) => (await loadListingsByTicker(database, [ticker])).get(ticker) ?? []
  const assets = () =>
    database.rows('select asset_id, slug, ticker, name, source from asset where asset_id < 100000 order by 1')

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    restore = keptTables(database, TABLES, async () => {
      await runReference('2026-11-02')
    })
  })
  beforeEach(() => restore())
  afterAll(() => database?.close())

  it('are made of the classes with a name; funds of the reference stay as they are and get their series', async () => {
    const before = await assets()
    expect(await runNames('2026-11-16')).toMatchObject({ added: 35, absent: 1, rejected: 0 })
    expect(await runList('2026-11-16', ...KNOWN)).toMatchObject({
      ...{ added: 35, absent: 1, rejected: 0 },
      alsoChanged: 32, // SOXX, BND and the others
    })
    expect(await listing('SOXX')).toMatchObject([
      { slug: 'ishares-semiconductor-etf', assetClass: 'etf', cik: null, mic: null, source: 'sec' },
    ])
    expect(await assets()).toEqual(before)
    const linked = await database.rows(
      'select series_id, asset_id from fund_class where asset_id < 100000 order by asset_id',
    )
    expect(linked).toEqual([
      { series_id: 'S000004310', asset_id: 2002 },
      { series_id: 'S000101292', asset_id: 2003 },
      { series_id: 'S000002848', asset_id: 2004 },
    ])
    expect(await runList('2026-11-17', ...KNOWN)).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 35,
      alsoChanged: 0,
    })
  })

  it('wait for a name, which makes them with the next list', async () => {
    await runNames('2026-11-16', [IVV])
    await runList('2026-11-16', IVV, SOXX)
    expect(await listing('SOXX')).toEqual([])
    await runNames('2026-11-17')
    await runList('2026-11-17', IVV, SOXX)
    expect(await listing('SOXX')).toMatchObject([{ slug: 'ishares-semiconductor-etf' }])
  })

  it('are not touched by the list of companies, which makes no second asset of them', async () => {
    await runNames('2026-11-16')
    await runList('2026-11-16', SOXX)
    await runCompanies(
      '2026-11-17',
      [1100663, 'iShares Trust', 'SOXX', 'Nasdaq'],
      [7, 'Alpha Corp', 'AAA', 'NYSE'],
    )
    expect(await listing('SOXX')).toMatchObject([{ slug: 'ishares-semiconductor-etf', inactiveSince: null }])
    expect(await listing('AAA')).toMatchObject([{ slug: 'alpha-corp', assetClass: 'stock' }])
    await runList('2026-11-18', SOXX)
    expect(await listing('AAA')).toMatchObject([{ slug: 'alpha-corp', inactiveSince: null }])
  })

  it('are not made of a ticker that the list of companies made a stock; it stays one', async () => {
    await runCompanies('2026-11-16', [1100663, 'iShares Trust', 'SOXX', 'Nasdaq'])
    await runNames('2026-11-16')
    const { rejections } = await runList('2026-11-16', SOXX)
    expect(rejections).toEqual([
      {
        position: 'SOXX, C000012084',
        reason: 'ishares-trust has this ticker and CIK as a stock; it keeps its class',
      },
    ])
    expect(await listing('SOXX')).toMatchObject([{ slug: 'ishares-trust', assetClass: 'stock' }])
  })

  it('keep key and slug under a new ticker, which is recorded as a change', async () => {
    await runNames('2026-11-16')
    await runList('2026-11-16', SOXX)
    const [before] = await listing('SOXX')
    await runList('2026-11-17', [1100663, 'S000004354', 'C000012084', 'SOXY', SOXX[4]])
    expect(await listing('SOXX')).toEqual([])
    expect(await listing('SOXY')).toMatchObject([
      { assetId: before?.assetId, slug: 'ishares-semiconductor-etf' },
    ])
    const changes = await database.rows(
      `select after->>'former_ticker' as former from corporate_action_change
       where change_kind = 'created' and action_type = 'ticker_change' and asset_id >= 100000`,
    )
    expect(changes).toEqual([{ former: 'SOXX' }])
  })

  it('are inactive when the list no longer has them, and give their ticker to the class that uses it next', async () => {
    await runNames('2026-11-16')
    await runList('2026-11-16', SOXX, BND)
    await runNames('2026-11-17', [...KNOWN, [7, 'S000300000', 'C000300000', 'SOXX', 'Next Chips ETF']])
    await runList('2026-11-17', BND, [7, 'S000300000', 'C000300000', 'SOXX', 'Next Chips ETF'])
    const index = await loadAssetIndex(database, { assetClass: 'etf' })
    const active = new Map(index.map(({ slug, is_active }) => [slug, is_active]))
    expect([active.get('ishares-semiconductor-etf'), active.get('next-chips-etf')]).toEqual([false, true])
    await runList('2026-11-18', BND, SOXX)
    expect(await listing('SOXX')).toMatchObject([
      { slug: 'ishares-semiconductor-etf', inactiveSince: null },
      { slug: 'next-chips-etf', inactiveSince: '2026-11-18' },
    ])
  })

  it('keep key and slug if the fund moves to another registrant, which gives it another class', async () => {
    const moved: Fund = [9, 'S000300000', 'C000300000', 'SOXX', 'iShares Semiconductor ETF']
    await runNames('2026-11-16')
    await runList('2026-11-16', SOXX, BND)
    const [before] = await listing('SOXX')
    await runList('2026-11-17', BND, moved)
    expect(await listing('SOXX')).toMatchObject([{ assetId: before?.assetId, inactiveSince: null }])
    await runNames('2026-11-18', [...KNOWN, moved])
    await runList('2026-11-18', BND, moved)
    expect(await listing('SOXX')).toMatchObject([{ assetId: before?.assetId, inactiveSince: null }])
    const classes = await database.rows('select class_id from fund_class where asset_id = $1', [
      before?.assetId,
    ])
    expect(classes).toEqual([{ class_id: 'C000300000' }])
  })

  it('stay as they are if the list is cut off or a line cannot be read', async () => {
    await runNames('2026-11-16')
    await runList('2026-11-16', SOXX, BND)
    const stored = () =>
      database.rows('select class_id, ticker, unlisted_on from fund_class order by class_id')
    const before = await stored()
    const cut = JSON.stringify({ fields: ['cik', 'seriesId', 'classId', 'symbol'], data: [SOXX.slice(0, 4)] })
    await expect(run('2026-11-17', 'sec-funds', cut)).rejects.toThrow(
      '31 of 32 known classes of funds are not among the 1 listed ones: the list is likely cut off',
    )
    const { rejections } = await runList('2026-11-17', [0, 'S000004354', 'C000012084', 'SOXX', ''])
    expect(rejections.at(-1)).toEqual({
      position: 'end of the list',
      reason: 'lines of the list could not be read, so classes that it lacks are kept: 2',
    })
    expect(await stored()).toEqual(before)
    expect(await run('2026-11-17', 'sec-funds', cut, true)).toMatchObject({ alsoChanged: 2 * 31 })
  })

  it('stay active while their list fails, and so do stocks while that of companies fails', async () => {
    const alpha = [7, 'Alpha Corp', 'AAA', 'NYSE'] as const
    const isActive = async () => {
      const index = await loadAssetIndex(database, { assetClass: null })
      const active = new Map(index.map(({ slug, is_active }) => [slug, is_active]))
      return [active.get('ishares-semiconductor-etf'), active.get('alpha-corp')]
    }
    await runNames('2026-11-16')
    await runCompanies('2026-11-16', alpha)
    await runList('2026-11-16', SOXX)
    await runCompanies('2027-01-16', alpha)
    expect(await isActive()).toEqual([true, true])
    await runList('2027-03-16', SOXX)
    expect(await isActive()).toEqual([true, true])
  })

  it('yield to the file of the operator, and keep key and slug if the reference has them later', async () => {
    await runNames('2026-11-16')
    await runList('2026-11-16', SOXX, BND)
    await runOperatorFile('instruments', deps('2026-11-17'), {
      ...{ kind: 'bytes', bytes: textOf('slug\nishares-semiconductor-etf\n'), origin: 'test' },
    })
    await runList('2026-11-18', BND)
    expect(await listing('SOXX')).toMatchObject([{ source: 'operator', inactiveSince: null }])
    const [before] = await listing('BND')
    const later = {
      ...createInstrument({ assetId: 2021, slug: 'vanguard-bonds', ticker: 'BND', name: 'Vanguard Bonds' }),
      ...{ mic: 'XNAS', currency: 'USD' },
    }
    await database.transaction(async (tx) =>
      writeInstruments(tx, await withPublishedKeys(tx, [later]), {
        knownAt: new Date('2026-11-19T00:05:00Z'),
        source: 'reference',
      }),
    )
    expect(await listing('BND')).toMatchObject([
      { assetId: before?.assetId, slug: before?.slug, name: 'Vanguard Bonds', source: 'reference' },
    ])
    await runList('2026-11-20', BND)
    expect(await listing('BND')).toHaveLength(1)
  })

  const live = (day: string, answer: (url: string) => string) => {
    const asked: string[] = []
    const fetchBody = async ({ url }: FeedRequest) => {
      asked.push(url.slice(url.lastIndexOf('/') + 1))
      return textOf(answer(url))
    }
    return { asked, summary: runFundLists({ ...deps(day), fetchBody }) }
  }

  it('are read with their names, once a week, and with those of the year before while this year has none', async () => {
    const answer = (url: string) => {
      if (url.endsWith('.json')) return listOf(KNOWN)
      if (url.includes('-2026.csv')) throw new IngestError('status 404')
      return namesOf(KNOWN)
    }
    const first = live('2026-11-16', answer)
    expect(await first.summary).toMatchObject({ done: 2, failed: [] })
    const names = 'investment-company-series-class-'
    expect(first.asked).toEqual([`${names}2026.csv`, `${names}2025.csv`, 'company_tickers_mf.json'])
    const second = live('2026-11-22', answer)
    expect(await second.summary).toMatchObject({ done: 1 })
    expect(second.asked).toEqual(['company_tickers_mf.json'])
    const third = live('2026-11-23', answer)
    await third.summary
    expect(third.asked).toHaveLength(3)
  })

  it('are read without new names if both years fail, but not if the SEC blocks the address', async () => {
    const without = live('2026-11-16', (url) => {
      if (url.endsWith('.json')) return listOf(KNOWN)
      throw new IngestError('status 404')
    })
    expect(await without.summary).toMatchObject({
      done: 1,
      failed: [{ name: 'sec-fund-names', reason: 'status 404' }],
    })
    const blocked = live('2026-11-17', () => {
      throw new RetryLater('blocked', 600_000)
    })
    await expect(blocked.summary).rejects.toThrow('blocked')
    expect(blocked.asked).toHaveLength(1)
  })
})
