import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../../../support/database/database.js'
import { samplePath } from '../../../../support/samples.js'
import { coinLists, type ListedVenue } from './coin-world.js'

const RECORDED = [
  ['binance', 'universe/binance_exchangeInfo_2024-09-08.json', { read: 1248, stored: 454 }],
  ['bitstamp', 'universe/bitstamp_trading-pairs-info.json', { read: 103, stored: 39 }],
  ['coinbase', 'universe/coinbase_exchange_products.json', { read: 10, stored: 3 }],
  ['kraken', 'universe/kraken_AssetPairs.json', { read: 86, stored: 18 }],
] as const

const isAbsent = RECORDED.some(([, name]) => samplePath(name) === null)

describe.skipIf(isAbsent)('the recorded lists of four exchanges', () => {
  let database: Database
  let lists: ReturnType<typeof coinLists>
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    lists = coinLists(database)
  })
  afterAll(() => database?.close())

  const run = (venue: ListedVenue, name: string) =>
    lists.runBytes(
      '2026-11-16',
      venue,
      readFileSync(samplePath(name) ?? expect.fail('the sample is missing')),
    )
  const made = () =>
    database.rows<{ slug: string; ticker: string; name: string; venues: string }>(
      `select a.slug, a.ticker, a.name, string_agg(s.venue, ' ' order by s.venue) as venues
       from asset as a join venue_symbol as s using (asset_id)
       where a.source = 'exchanges' and s.symbol is not null group by a.asset_id order by a.ticker`,
    )

  it('are read whole: each line is stored, refused with a reason or left out because it is no pair against a dollar', async () => {
    const counts = []
    for (const [venue, name] of RECORDED) {
      const { added, rejected, absent } = await run(venue, name)
      counts.push([venue, { read: added + rejected + absent, stored: added }, rejected])
    }
    expect(counts).toEqual(RECORDED.map(([venue, , expected]) => [venue, expected, 0]))
  })

  it('make assets of the coins that three of them trade', async () => {
    expect((await made()).map(({ ticker, ...coin }) => [ticker, ...Object.values(coin)])).toEqual([
      ['BCH', 'bitcoin-cash', 'Bitcoin Cash', 'binance bitstamp kraken'],
      ['BTC', 'bitcoin', 'Bitcoin', 'binance bitstamp coinbase kraken'],
      ['ETH', 'ether', 'Ether', 'binance bitstamp coinbase kraken'],
      ['LTC', 'litecoin', 'Litecoin', 'binance bitstamp coinbase kraken'],
      ['XLM', 'stellar-lumens', 'Stellar Lumens', 'binance bitstamp kraken'],
      ['XRP', 'xrp', 'XRP', 'binance bitstamp kraken'],
    ])
  })

  it('change nothing when they come again', async () => {
    for (const [venue, name] of RECORDED)
      expect(await run(venue, name)).toMatchObject({ added: 0, revised: 0, alsoChanged: 0 })
  })
})
