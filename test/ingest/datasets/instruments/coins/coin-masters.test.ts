import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadAssetIndex } from '../../../../../src/domains/assets/index-store.js'
import { withPublishedKeys } from '../../../../../src/domains/instruments/masters/masters-store.js'
import type { Database } from '../../../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../../../support/database/database.js'
import { keptTables } from '../../../../support/database/kept-tables.js'
import { createInstrument } from '../../../../support/instrument.js'
import { coinLists, listOf, type MadePair } from './coin-world.js'

const TABLES = [
  ...['asset', 'instrument', 'instrument_identifier', 'asset_version', 'asset_contract', 'venue_symbol'],
  ...['exchange_listing', 'excluded_listing', 'ingest_run', 'dataset_state'],
]

const ACME: MadePair = { ticker: 'ACME', name: 'Acme Coin' }
const THREE = ['binance', 'coinbase', 'kraken'] as const
const at = (venues: readonly (typeof THREE)[number][], ...pairs: readonly MadePair[]) =>
  Object.fromEntries(venues.map((venue) => [venue, pairs]))

describe.each(availableDatabases())('coins of the lists of exchanges on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  let lists: ReturnType<typeof coinLists>
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    lists = coinLists(database)
    restore = keptTables(database, TABLES, async () => {
      await lists.runReference('2026-11-02')
      await lists.runLists('2026-11-03', {})
    })
  })
  beforeEach(() => restore())
  afterAll(() => database?.close())

  const coins = (where = `ticker not like 'OTHER%'`) =>
    database.rows<Record<string, unknown>>(
      `select a.asset_id, a.slug, a.ticker, a.name, a.tier, i.is_confirmed, i.inactive_since::text as inactive_since
       from asset as a join instrument as i on i.instrument_id = a.asset_id where a.source = 'exchanges' and a.${where}
       order by a.asset_id`,
    )
  const symbolsOf = async (slug: string) => {
    const rows = await database.rows<{ venue: string; symbol: string | null }>(
      'select venue, symbol from venue_symbol join asset using (asset_id) where slug = $1 order by venue',
      [slug],
    )
    return Object.fromEntries(rows.map(({ venue, symbol }) => [venue, symbol]))
  }
  const refusals = async () => {
    const rows = await database.rows<{ rejections: readonly { position: string; reason: string }[] }>(
      'select rejections from ingest_run where rejections is not null order by started_at, run_id',
    )
    return rows.flatMap(({ rejections }) => rejections)
  }

  it('become unconfirmed assets of tier 3 once three exchanges trade them against a dollar', async () => {
    await lists.runLists('2026-11-16', at(['coinbase', 'kraken'], ACME))
    expect(await coins()).toEqual([])
    await lists.runLists('2026-11-17', {
      ...at(['coinbase', 'kraken'], ACME),
      okx: [{ ...ACME, quote: 'USDC' }],
    })
    expect(await coins()).toEqual([
      {
        ...{ asset_id: expect.any(Number), slug: 'acme', ticker: 'ACME', name: 'ACME' },
        ...{ tier: 3, is_confirmed: false, inactive_since: null },
      },
    ])
    // The pair against USDC counts, but bars are requested in USDT there.
    expect(await symbolsOf('acme')).toEqual({
      ...{ binance: null, bitstamp: null, coinbase: 'ACME-USD', kraken: 'ACMEUSD', okx: null },
    })
    const index = await loadAssetIndex(database, { assetClass: 'crypto' })
    expect(index.find(({ slug }) => slug === 'acme')).toMatchObject({ is_active: true, is_confirmed: false })
    expect(index.find(({ slug }) => slug === 'bitcoin')).toMatchObject({
      is_active: true,
      is_confirmed: true,
    })
    const [version] = await database.rows('select tier, source from asset_version where ticker = $1', [
      'ACME',
    ])
    expect(version).toEqual({ tier: 3, source: 'exchanges' })
  })

  it('have the name that an exchange states, and a slug of it with the ticker where it is taken', async () => {
    const second: MadePair = { ticker: 'BTC2', name: 'Bitcoin' }
    await lists.runLists('2026-11-16', {
      bitstamp: [ACME, second],
      ...at(['kraken', 'binance'], ACME, second),
    })
    expect(await coins()).toMatchObject([
      { slug: 'acme-coin', name: 'Acme Coin' },
      { slug: 'bitcoin-btc2', name: 'Bitcoin' },
    ])
    await lists.runLists('2026-11-17', {
      bitstamp: [{ ...ACME, name: 'Acme Renamed' }, second],
      ...at(['kraken', 'binance'], ACME, second),
    })
    expect((await coins())[0]).toMatchObject({ slug: 'acme-coin', name: 'Acme Coin' })
  })

  it('are not made of currencies, of many units under one name, and of tickers of the reference', async () => {
    const others = ['EUR', '1000ACME', 'BTC', 'MATIC'].map((ticker) => ({ ticker }))
    await lists.runLists('2026-11-16', at([...THREE], ...others))
    expect(await coins()).toEqual([])
    expect(await refusals()).toEqual(
      expect.arrayContaining([
        { position: 'EUR', reason: 'is a currency of ISO 4217, not a coin' },
        { position: 'MATIC', reason: 'is the former ticker of POL' },
      ]),
    )
  })

  it('keep key and slug under another ticker, found by name or by the known renaming', async () => {
    await lists.runLists('2026-11-16', { bitstamp: [ACME], ...at(['kraken', 'binance'], ACME) })
    const [before] = await coins()
    const renamed: MadePair = { ticker: 'ACM', name: 'Acme Coin (ex-ACME)' }
    await lists.runLists('2026-11-17', { bitstamp: [renamed], ...at(['kraken', 'binance'], renamed) })
    expect(await coins()).toEqual([{ ...before, ticker: 'ACM' }])
    const identifiers = await database.rows(
      `select value, valid_to::text as valid_to from instrument_identifier
       where asset_id = $1 and scheme = 'ticker' and known_to is null order by valid_to nulls last`,
      [before?.asset_id],
    )
    expect(identifiers).toEqual([
      { value: 'ACME', valid_to: '2026-11-17' },
      { value: 'ACM', valid_to: null },
    ])
    const versions = await database.rows(
      'select ticker, known_to is null as is_current from asset_version where asset_id = $1 order by known_from',
      [before?.asset_id],
    )
    expect(versions).toEqual([
      { ticker: 'ACME', is_current: false },
      { ticker: 'ACM', is_current: true },
    ])
  })

  it('stay without pairs when no exchange trades them any more, and are active again when one does', async () => {
    await lists.runLists('2026-11-16', at([...THREE], ACME))
    const [before] = await coins()
    await lists.runLists('2026-11-17', at(['kraken'], ACME))
    expect(await coins()).toEqual([before])
    await lists.runLists('2026-11-18', at(['kraken'], { ...ACME, isHalted: true }))
    expect(await coins()).toEqual([{ ...before, inactive_since: '2026-11-18' }])
    expect(Object.values(await symbolsOf('acme'))).toEqual([null, null, null, null, null])
    const index = await loadAssetIndex(database, { assetClass: 'crypto' })
    expect(index.find(({ slug }) => slug === 'acme')).toMatchObject({ is_active: false })
    await lists.runLists('2026-11-19', at([...THREE], ACME))
    expect(await coins()).toEqual([before])
  })

  it('stay active while the lists have them, although others are added much later', async () => {
    await lists.runLists('2026-11-16', at([...THREE], ACME))
    await lists.runLists('2027-01-16', at([...THREE], ACME, { ticker: 'LATER' }))
    const index = await loadAssetIndex(database, { assetClass: 'crypto' })
    const made = index.filter(({ ticker }) => ticker === 'ACME' || ticker === 'LATER')
    expect(made.map(({ is_active }) => is_active)).toEqual([true, true])
  })

  it('are other assets if the ticker of an ended coin comes again with another name', async () => {
    await lists.runLists('2026-11-16', { bitstamp: [ACME], ...at(['kraken', 'binance'], ACME) })
    await lists.runLists('2026-11-17', {})
    const other: MadePair = { ticker: 'ACME', name: 'Another Coin' }
    await lists.runLists('2026-11-18', { bitstamp: [other], ...at(['kraken', 'binance'], other) })
    expect(await coins()).toMatchObject([
      { slug: 'acme-coin', inactive_since: '2026-11-17' },
      { slug: 'another-coin', ticker: 'ACME', inactive_since: null, is_confirmed: false },
    ])
  })

  it('stay as they are if a list is cut off, lacks much of the stored one, or has lines that cannot be read', async () => {
    await lists.runLists('2026-11-16', at([...THREE], ACME))
    const before = [await coins('slug is not null'), await symbolsOf('acme')]
    const whole = listOf('kraken', [ACME])
    await expect(lists.runBytes('2026-11-17', 'kraken', whole.slice(0, whole.length / 2))).rejects.toThrow(
      'cut off',
    )
    const few = new TextEncoder().encode(
      JSON.stringify({ error: [], result: { OTHER1USD: { altname: 'OTHER1USD', wsname: 'OTHER1/USD' } } }),
    )
    await expect(lists.runBytes('2026-11-17', 'kraken', few)).rejects.toThrow(/likely cut off/)
    const odd = JSON.parse(new TextDecoder().decode(listOf('kraken', [])))
    odd.result.ODD = { altname: 7, wsname: 'ODD/USD' }
    await lists.runBytes('2026-11-17', 'kraken', new TextEncoder().encode(JSON.stringify(odd)))
    expect([await coins('slug is not null'), await symbolsOf('acme')]).toEqual(before)
    expect(await refusals()).toEqual(
      expect.arrayContaining([
        { position: 'entry 30', reason: 'the symbol "7" is not usable' },
        {
          position: 'end of the list',
          reason: 'no pair is ended, because lines of the list could not be read',
        },
      ]),
    )
  })

  it('keep their key and slug when a later version of the reference has them', async () => {
    await lists.runLists('2026-11-16', { bitstamp: [ACME], ...at(['kraken', 'binance'], ACME) })
    const [made] = await coins()
    const own = createInstrument({
      assetId: 77,
      slug: 'acme',
      ticker: 'ACME',
      name: 'Acme',
      assetClass: 'crypto',
    })
    const other = { ...own, name: 'Quite another one' }
    const [same, different] = await withPublishedKeys(database, [own, other])
    expect(same).toMatchObject({ assetId: made?.asset_id, slug: 'acme-coin' })
    expect(different).toEqual(other)
  })
})
