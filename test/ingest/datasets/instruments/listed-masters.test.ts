import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { loadAssetIndex } from '../../../../src/domains/assets/index-store.js'
import { loadFilers } from '../../../../src/domains/filings/facts-store.js'
import {
  withPublishedKeys,
  writeInstruments,
} from '../../../../src/domains/instruments/masters/masters-store.js'
import { loadListingsByTicker } from '../../../../src/domains/instruments/store.js'
import { loadProviderListings } from '../../../../src/domains/prices/provider-store.js'
import { loadListedAssets } from '../../../../src/ingest/datasets/analysis/facts/load-listed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { keptTables } from '../../../support/database/kept-tables.js'
import { runOperatorFile } from '../../../support/ingest/run-group.js'
import { createInstrument } from '../../../support/instrument.js'

type Line = readonly [cik: number, name: string, ticker: string, exchange: string | null]

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...['listed_symbol', 'ingest_run', 'dataset_state'],
]

/** Tickers that no test changes, so that a few missing ones do not look like a list that is cut off. */
const OTHERS: readonly Line[] = Array.from({ length: 30 }, (_, at) => [
  9_000 + at,
  `Other ${at}`,
  `OT${at}X`,
  'NYSE',
])
const APPLE: Line = [320193, 'Apple Inc.', 'AAPL', 'Nasdaq']
const ALPHA: Line = [7, 'Alpha Corp', 'AAA', 'Nasdaq']
const BETA: Line = [8, 'Beta Corp', 'BBB', 'Nasdaq']

describe.each(availableDatabases())('assets from the list of the SEC on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  const deps = (day: string) => ({
    database,
    clock: fixedClock(new Date(`${day}T10:30:00Z`)),
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const runReference = (day: string) => {
    const bound = findFeed('reference')
    return runFeed(deps(day), bound, usualSourceOf(bound.feed))
  }
  const runList = (day: string, ...lines: readonly Line[]) => {
    const body = { fields: ['cik', 'name', 'ticker', 'exchange'], data: [...lines, ...OTHERS] }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    return runFeed(deps(day), findFeed('sec-symbols'), { kind: 'bytes', bytes, origin: 'test' })
  }
  const ownFile = (day: string, text: string) =>
    runOperatorFile('instruments', deps(day), {
      kind: 'bytes',
      bytes: new TextEncoder().encode(text),
      origin: 'test',
    })
  const assetsOf = (source: string) =>
    database.rows('select asset_id, slug, ticker, name from asset where source = $1 order by asset_id', [
      source,
    ])

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    restore = keptTables(database, TABLES, async () => {
      await runReference('2026-11-02')
    })
  })
  beforeEach(() => restore())
  afterAll(() => database?.close())

  it('leave every asset of the reference as it was', async () => {
    const before = await assetsOf('reference')
    expect(before).toHaveLength(148)
    await runList('2026-11-16', APPLE, ALPHA)
    await runReference('2026-11-17')
    expect(await assetsOf('reference')).toEqual(before)
    expect(await assetsOf('sec')).toHaveLength(31)
  })

  it('may exchange tickers on one market within a list', async () => {
    await runList('2026-11-16', ALPHA, BETA)
    await runList('2026-11-17', [7, 'Alpha Corp', 'BBB', 'Nasdaq'], [8, 'Beta Corp', 'AAA', 'Nasdaq'])
    const found = await loadListingsByTicker(database, ['AAA', 'BBB'])
    expect(found.get('AAA')).toMatchObject([{ slug: 'beta-corp', mic: 'XNAS' }])
    expect(found.get('BBB')).toMatchObject([{ slug: 'alpha-corp', mic: 'XNAS' }])
    const changes = await database.rows(
      `select action_key, after->>'former_ticker' as former from corporate_action_change
       where change_kind = 'created' and action_type = 'ticker_change' and asset_id >= 100000 order by action_key`,
    )
    expect(changes).toEqual([
      { action_key: 'AAA 1', former: 'AAA' },
      { action_key: 'BBB 1', former: 'BBB' },
    ])
  })

  it('are inactive when the list no longer has them, and give their ticker to the company that uses it next', async () => {
    await runList('2026-11-16', ALPHA)
    await runList('2026-11-17', [9, 'Gamma Corp', 'AAA', 'Nasdaq'])
    const index = await loadAssetIndex(database, { assetClass: 'stock' })
    const active = new Map(index.map(({ slug, is_active }) => [slug, is_active]))
    expect([active.get('alpha-corp'), active.get('gamma-corp'), active.get('apple')]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('stay as they are if the list is cut off', async () => {
    await runList('2026-11-16', ALPHA, BETA)
    const before = await database.rows('select * from instrument order by instrument_id')
    const cut = { fields: ['cik', 'name', 'ticker', 'exchange'], data: [ALPHA] }
    const bytes = new TextEncoder().encode(JSON.stringify(cut))
    const run = runFeed(deps('2026-11-17'), findFeed('sec-symbols'), { kind: 'bytes', bytes, origin: 'test' })
    await expect(run).rejects.toThrow('the list is likely cut off')
    expect(await database.rows('select * from instrument order by instrument_id')).toEqual(before)
  })

  const EXXON: Line = [34088, 'EXXON MOBIL CORP', 'XOM', 'NYSE']
  const SUCCESSOR: Line = [2115436, 'ExxonMobil Holdings Corp', 'XOM', 'NYSE']
  const listingsOf = async (ticker: string) => (await loadListingsByTicker(database, [ticker])).get(ticker)

  it.each<[string, readonly Line[]]>([
    ['after the list with the former company', [EXXON]],
    ['in the first list of all', []],
  ])(
    'give an asset of the reference the CIK of the successor of its company, and keep what the former one filed: %s',
    async (_, before) => {
      await runList('2026-11-16', APPLE, ...before)
      await runList('2026-11-17', APPLE, SUCCESSOR)
      const followed = [{ slug: 'exxon-mobil', mic: 'XNYS', cik: '0002115436' }]
      expect(await listingsOf('XOM')).toMatchObject(followed)
      await runReference('2026-11-18')
      const again = await runList('2026-11-19', APPLE, SUCCESSOR)
      expect(again.rejected).toBe(0)
      expect(await listingsOf('XOM')).toMatchObject(followed)
      const periods = await database.rows(
        `select value, valid_from, valid_to from instrument_identifier
         where asset_id = 1045 and scheme = 'cik' and known_to is null order by value`,
      )
      expect(periods).toEqual([
        { value: '0000034088', valid_from: null, valid_to: '2026-11-17' },
        { value: '0002115436', valid_from: '2026-11-17', valid_to: null },
      ])
    },
  )

  const MOVED: Line = [34088, 'EXXON MOBIL CORP', 'XOMX', 'NYSE']

  it('follow a stock of the reference to its new ticker, and make an asset of the company that has the old one', async () => {
    await runList('2026-11-17', APPLE, SUCCESSOR, MOVED)
    expect(await listingsOf('XOMX')).toMatchObject([{ slug: 'exxon-mobil', cik: '0000034088' }])
    expect(await listingsOf('XOM')).toMatchObject([{ slug: 'exxonmobil-holdings-corp', cik: '0002115436' }])
  })

  it.each<[string, Line, readonly Line[]]>([
    ['has another name', [2115436, 'Big Oil Holdings', 'XOM', 'NYSE'], []],
    [
      'is listed beside the former company, whose new ticker is unclear',
      SUCCESSOR,
      [MOVED, [34088, 'EXXON MOBIL CORP', 'XOMY', 'NYSE']],
    ],
  ])(
    'leave an asset of the reference as it is if a company with its ticker %s, and name it',
    async (_, line, others) => {
      const run = await runList('2026-11-17', APPLE, line, ...others)
      expect(await listingsOf('XOM')).toMatchObject([{ slug: 'exxon-mobil', cik: '0000034088' }])
      expect(run.rejections.map(({ position }) => position)).toContain('XOM on NYSE')
    },
  )

  it('leave an asset of the operator as it is, and name the company that has its ticker', async () => {
    await ownFile(
      '2026-11-15',
      'asset_id,slug,ticker,name,asset_class,mic,currency,cik\n1000001,own-oil,OWNX,Own Oil Corp,stock,XNYS,USD,7777\n',
    )
    const run = await runList('2026-11-17', APPLE, [8888, 'Own Oil Holdings', 'OWNX', 'NYSE'])
    expect(await listingsOf('OWNX')).toMatchObject([{ slug: 'own-oil', cik: '0000007777' }])
    expect(run.rejections.map(({ position }) => position)).toContain('OWNX on NYSE')
  })

  it('keep key and slug if the reference has them later', async () => {
    await runList('2026-11-16', ALPHA)
    const later = {
      ...createInstrument({ assetId: 1061, slug: 'alpha', ticker: 'AAA', name: 'Alpha Corporation' }),
      ...({ assetClass: 'stock', mic: 'XNAS', cik: '0000000007', isin: 'US0378331005' } as const),
    }
    const known = { knownAt: new Date('2026-11-17T00:05:00Z'), source: 'reference' }
    await database.transaction(async (tx) =>
      writeInstruments(tx, await withPublishedKeys(tx, [later]), known),
    )
    const found = await loadListingsByTicker(database, ['AAA'])
    expect(found.get('AAA')).toMatchObject([
      {
        assetId: 100_000,
        slug: 'alpha-corp',
        name: 'Alpha Corporation',
        isin: 'US0378331005',
        source: 'reference',
      },
    ])
  })

  it('get no requests for figures, prices or analyses until the file of the operator names them', async () => {
    await runList('2026-11-16', ALPHA)
    const followed = async () => ({
      facts: (await loadFilers(database)).flatMap(({ slugs, isFollowed }) => (isFollowed ? slugs : [])),
      prices: (await loadProviderListings(database, 'tiingo', ['XNAS'])).map(({ ticker }) => ticker),
      analyses: (await loadListedAssets(database.prisma)).listed.map(({ slug }) => slug),
    })
    const before = await followed()
    expect(before.facts).toContain('apple')
    expect(before.facts).not.toContain('alpha-corp')
    expect(before.prices).not.toContain('AAA')
    expect(before.analyses).not.toContain('alpha-corp')
    await ownFile('2026-11-17', 'slug\nalpha-corp\n')
    const after = await followed()
    expect(after.facts).toContain('alpha-corp')
    expect(after.prices).toContain('AAA')
    expect(after.analyses).toContain('alpha-corp')
    const [listing] = (await loadListingsByTicker(database, ['AAA'])).get('AAA') ?? []
    expect(listing).toMatchObject({ name: 'Alpha Corp', exchange: 'Nasdaq', source: 'operator' })
  })
})
