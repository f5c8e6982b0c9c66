import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { VenueBar } from '../../../src/core/consensus/venue-vwap.js'
import { decimal } from '../../../src/core/decimal.js'
import {
  loadBars,
  loadFirstBar,
  loadMissingWindows,
  loadNewestBars,
  writeBars,
} from '../../../src/domains/market/bar-store.js'
import { unpackBar } from '../../../src/domains/market/compact/packed-bar.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'

const T1 = new Date('2026-11-20T12:00:00.000Z')
const T2 = new Date('2026-11-20T12:05:00.000Z')
const FROM = new Date('2026-11-20T10:00:00Z')
const TO = new Date('2026-11-20T12:00:00Z')

/** `kraken 10:05 100 2`: a flat bar at that price; more figures: quote volume, own VWAP. */
function bar(text: string): VenueBar {
  const [venue = '', time = '', price = '', volume = '', quote, vwap] = text.split(' ')
  const prices = { open: decimal(price), high: decimal(price), low: decimal(price), close: decimal(price) }
  return {
    venue,
    ts: new Date(time.includes('T') ? time : `2026-11-20T${time}:00Z`),
    ...prices,
    baseVolume: decimal(volume),
    quoteVolume: quote === undefined || quote === '-' ? null : decimal(quote),
    vwap: vwap === undefined ? null : decimal(vwap),
    quoteCurrency: venue === 'binance' ? 'USDT' : 'USD',
  }
}

const textOf = ({ venue, ts, close, baseVolume, quoteVolume, vwap }: VenueBar) =>
  [venue, ts.toISOString().slice(11, 16), close, baseVolume, quoteVolume ?? '-', vwap ?? '-'].join(' ')

describe.each(availableDatabases())('bar store on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(() => emptiedOfFew(database, ['minute_bar', 'candle']))

  const write = (knownAt: Date, ...texts: readonly string[]) =>
    database.transaction((tx) => writeBars(tx, 1, texts.map(bar), { knownAt }))
  const read = async () => (await loadBars(database, { assetId: 1, from: FROM, to: TO })).map(textOf)

  it('adds new bars, leaves equal ones untouched, and names the changed hours', async () => {
    expect(
      await write(T1, 'kraken 10:05 100 2 - 99.5', 'binance 11:59 101 3 303', 'kraken 10:06 100 0'),
    ).toEqual({
      added: 3,
      revised: 0,
      unchanged: 0,
      changedHours: [new Date('2026-11-20T10:00:00Z'), new Date('2026-11-20T11:00:00Z')],
    })
    expect(await write(T2, 'kraken 10:05 100.0 2.00 - 99.50', 'kraken 11:00 100 2')).toEqual({
      added: 1,
      revised: 0,
      unchanged: 1,
      changedHours: [new Date('2026-11-20T11:00:00Z')],
    })
    expect(await read()).toEqual([
      'kraken 10:05 100 2 - 99.5',
      'kraken 10:06 100 0 - -',
      'kraken 11:00 100 2 - -',
      'binance 11:59 101 3 303 -',
    ])
  })

  it.each([
    ['price', 'binance 10:05 100.5 2 200'],
    ['volume', 'binance 10:05 100 2.5 200'],
    ['turnover', 'binance 10:05 100 2 201'],
    ['missing turnover', 'binance 10:05 100 2'],
    ['own VWAP', 'binance 10:05 100 2 200 100'],
  ])('revises a bar of another %s and keeps what was known before', async (_, corrected) => {
    await write(T1, 'binance 10:05 100 2 200')
    expect(await write(T2, corrected)).toMatchObject({ added: 0, revised: 1, unchanged: 0 })
    expect(await read()).toEqual([textOf(bar(corrected))])
    expect(await database.rows('select known_from, known_to from minute_bar order by known_from')).toEqual([
      { known_from: T1, known_to: T2 },
      { known_from: T2, known_to: null },
    ])
  })

  it('revises at a later instant even if the clock stands still', async () => {
    await write(T1, 'kraken 10:05 100 2')
    await write(T1, 'kraken 10:05 101 2')
    expect(await read()).toEqual(['kraken 10:05 101 2 - -'])
  })

  it('uses the last of two bars of one venue and minute', async () => {
    expect(await write(T1, 'kraken 10:05 100 2', 'kraken 10:05 101 2')).toMatchObject({ added: 1 })
    expect(await read()).toEqual(['kraken 10:05 101 2 - -'])
  })

  it('separates the bars of assets, venues and months, revisions too', async () => {
    await database.transaction((tx) => writeBars(tx, 2, [bar('kraken 10:05 7 1')], { knownAt: T1 }))
    const months = [
      'kraken 2026-10-31T23:59:00Z 90 1',
      'kraken 2026-11-01T00:00:00Z 91 1',
      'kraken 2031-01-01T00:00:00Z 92 1',
    ]
    await write(T1, ...months, 'bitstamp 10:05 100 2')
    expect(await write(T2, ...months.map((text) => text.replace(/ 1$/, ' 5')))).toMatchObject({
      added: 0,
      revised: 3,
    })
    const stored = await database.rows<{ asset_id: number; venue: string; figures: Buffer }>(
      'select asset_id, venue, figures from minute_bar where known_to is null order by asset_id, ts',
    )
    const all = stored.map(({ figures, ...key }) => ({
      ...key,
      volume: unpackBar(figures).baseVolume.toFixed(),
    }))
    expect(all).toEqual([
      { asset_id: 1, venue: 'kraken', volume: '5' },
      { asset_id: 1, venue: 'kraken', volume: '5' },
      { asset_id: 1, venue: 'bitstamp', volume: '2' },
      { asset_id: 1, venue: 'kraken', volume: '5' },
      { asset_id: 2, venue: 'kraken', volume: '1' },
    ])
  })

  it('returns figures of 30 digits exactly', async () => {
    const exact = 'kraken 10:05 0.00000012345678901234567890123 123456789012345678901234567890'
    await write(T1, exact)
    expect(await write(T2, exact)).toMatchObject({ revised: 0, unchanged: 1 })
    expect(await read()).toEqual([textOf(bar(exact))])
  })

  it('writes nothing for no bars', async () => {
    expect(await write(T1)).toEqual({ added: 0, revised: 0, unchanged: 0, changedHours: [] })
  })

  it('returns the first bar of an asset and the newest of each venue', async () => {
    expect(await loadFirstBar(database, 1)).toBeNull()
    await write(
      T1,
      'kraken 10:05 100 2',
      'kraken 10:07 100 2',
      'bitstamp 10:06 100 2',
      'kraken 2026-10-31T23:59:00Z 90 1',
    )
    expect(await loadFirstBar(database, 1)).toEqual(new Date('2026-10-31T23:59:00Z'))
    expect(await loadNewestBars(database, 1, ['bitstamp', 'kraken', 'okx'])).toEqual(
      new Map([
        ['bitstamp', new Date('2026-11-20T10:06:00Z')],
        ['kraken', new Date('2026-11-20T10:07:00Z')],
      ]),
    )
  })

  it('returns the windows without a candle of a source', async () => {
    await database.rows(
      `insert into candle (asset_id, timeframe, ts, exchanges_count, methodology_version, sources, source, known_from, known_to)
       select 1, frame::timeframe, ts::timestamptz, 0, 'm', '\\x01', source, $1, ended::timestamptz from (values
         ('1h', '2026-11-20T10:00Z', 'ours', null), ('1d', '2026-11-20T00:00Z', 'other', null),
         ('1h', '2026-11-20T11:00Z', 'ours', '2026-11-21T00:00Z')) as given(frame, ts, source, ended)`,
      [T1],
    )
    const windows = [
      { timeframe: '1h', ts: FROM },
      { timeframe: '1h', ts: new Date('2026-11-20T11:00:00Z') },
      { timeframe: '1d', ts: new Date('2026-11-20T00:00:00Z') },
    ] as const
    expect(await loadMissingWindows(database, 1, 'ours', windows)).toEqual([windows[1], windows[2]])
    expect(await loadMissingWindows(database, 2, 'ours', [])).toEqual([])
  })
})
