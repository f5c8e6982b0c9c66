import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { VenueAsset } from '../../../../src/ingest/candles/venue-assets.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { loadSources } from '../../../domains/market/stored-sources.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptiedOfFew } from '../../../support/database/emptied.js'
import { formOf } from '../../providers/exchanges/answers.js'
import {
  BITCOIN,
  type FlatBar,
  loadAt,
  openVenueWorld,
  type PlayedAnswer,
  TETHER,
  VENUES,
  type VenueWorld,
} from './venue-world.js'

const MINUTE = 60_000
/** The end of a day's first hours in which every venue, Kraken's 12 hours included, has its bars. */
const DAY = Date.UTC(2026, 10, 19)
const NOON = new Date(DAY + 12 * 60 * MINUTE)
const NEXT_DAY = new Date(DAY + 24 * 60 * MINUTE)
const at = (minute: number) => new Date(DAY + minute * MINUTE)
const flat = (minute: number, price: string, volume: string): FlatBar => ({ ts: at(minute), price, volume })

const SYMBOLS = { binance: 'BTCUSDT', bitstamp: 'btcusd', coinbase: 'BTC-USD', kraken: 'XBTUSD' } as const

describe.each(availableDatabases())('a window whose bars are kept, on %s', { timeout: 60_000 }, (kind) => {
  let database: Database
  let world: VenueWorld
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    await emptiedOfFew(database, [
      'minute_bar',
      'candle',
      'venue_coverage',
      'asset_supply',
      'ingest_run',
      'dataset_state',
      'instrument',
      'asset',
    ])
    world = await openVenueWorld()
    // Two hours; weights are turnovers, so the first has (100 x 100 + 101 x 101) / (100 + 101).
    play('binance', [flat(0, '100', '10'), flat(60, '110', '10')])
    play('bitstamp', [flat(1, '101', '10'), flat(61, '111', '10')])
    play('coinbase', [flat(2, '100', '10'), flat(62, '110', '10')])
    play('kraken', [flat(3, '101', '10'), flat(63, '111', '10')])
  })
  afterEach(() => world.close())

  const play = (venue: (typeof VENUES)[number], bars: readonly FlatBar[]) =>
    void world.bars.set(`${venue} ${SYMBOLS[venue]}`, [...bars])
  const candles = async (asOf: Date | null = null, assetId = 1) =>
    (
      await database.rows<{ frame: string; ts: Date; price: string | null; count: number }>(
        `select timeframe as frame, ts, trim_scale(vwap_usd) as price, exchanges_count as count from candle
         where asset_id = $2 and known_from <= coalesce($1, 'infinity'::timestamptz)
           and (known_to is null or known_to > $1::timestamptz) order by timeframe, ts`,
        [asOf, assetId],
      )
    ).map(
      ({ frame, ts, price, count }) => `${frame} ${ts.toISOString().slice(5, 16)} ${price ?? '-'} ${count}`,
    )
  const state = async (of = database) =>
    (
      await of.rows(
        `select version, source, is_dev_dataset, observed_at from dataset_state where dataset = 'candles'`,
      )
    )[0]
  const ledger = () =>
    database.rows<Record<string, unknown>>(
      `select feed, status, added, revised, unchanged, rejected, rejections, error from ingest_run order by started_at, feed`,
    )
  /** By exchange: bars of the newest run that were added, revised and unchanged. */
  const written = async () => {
    const rows = await ledger()
    return rows.slice(-4).map(({ feed, added, revised, unchanged }) => [feed, added, revised, unchanged])
  }

  it('makes the candles of finished windows from the bars of all venues, with ledger and version', async () => {
    const { venues, candles: counts } = await loadAt(database, world, at(125))
    expect(counts).toEqual({ added: 2, revised: 0, unchanged: 0, alsoChanged: 0, removedSeed: 0 })
    expect(await candles()).toEqual([
      '1h 11-19T00:00 100.502487562189 4',
      '1h 11-19T01:00 110.502262443439 4',
    ])
    expect(venues.map(({ venue, bars, loaded, rejected }) => [venue, bars, loaded, rejected])).toEqual(
      VENUES.map((venue) => [venue, 2, 1, 0]),
    )
    expect(await state()).toEqual({
      version: 1,
      source: 'consensus_vwap',
      is_dev_dataset: false,
      observed_at: at(120),
    })
    expect((await ledger()).map(({ feed, status, added }) => [feed, status, added])).toEqual(
      VENUES.map((venue) => [`candles-${venue}`, 'succeeded', 2]),
    )
  })

  it('changes nothing, not even the version, when the same bars come again', async () => {
    await loadAt(database, world, at(125))
    const again = await loadAt(database, world, at(126), { from: at(0) })
    expect(again.candles).toEqual({ added: 0, revised: 0, unchanged: 0, alsoChanged: 0, removedSeed: 0 })
    expect(await written()).toEqual(VENUES.map((venue) => [`candles-${venue}`, 0, 0, 2]))
    expect(await state()).toMatchObject({ version: 1 })
  })

  it('makes the candle of a window once it has ended, even without further bars', async () => {
    await loadAt(database, world, at(119))
    expect(await candles()).toEqual(['1h 11-19T00:00 100.502487562189 4'])
    await loadAt(database, world, at(120))
    expect(await candles()).toEqual([
      '1h 11-19T00:00 100.502487562189 4',
      '1h 11-19T01:00 110.502262443439 4',
    ])
  })

  it('revises only hour and day for a late bar, and keeps earlier versions', async () => {
    await loadAt(database, world, NOON, { from: at(0) })
    await loadAt(database, world, NEXT_DAY)
    const before = await candles()
    expect(before).toHaveLength(3)
    expect(before[2]).toBe('1d 11-19T00:00 105.502369668246 4')
    play('bitstamp', [flat(1, '101', '10'), flat(5, '104', '10'), flat(61, '111', '10')])
    const late = new Date(NEXT_DAY.getTime() + 60 * MINUTE)
    const { candles: counts } = await loadAt(database, world, late, { from: at(0) })
    expect(counts).toEqual({ added: 0, revised: 2, unchanged: 0, alsoChanged: 0, removedSeed: 0 })
    const after = await candles()
    // Bitstamp has 2,050 USD at 102.5 now: (2 x 100 x 1000 + 102.5 x 2050 + 101 x 1010) / 5060.
    expect(after[0]).toBe('1h 11-19T00:00 101.212450592885 4')
    expect(after[1]).toBe(before[1])
    expect(after[2]).not.toBe(before[2])
    expect(await candles(NEXT_DAY)).toEqual(before)
    expect(await state()).toMatchObject({ version: 3 })
  })

  it('revises the candles of a corrected bar', async () => {
    await loadAt(database, world, at(125))
    play('kraken', [flat(3, '102', '10'), flat(63, '111', '10')])
    const { candles: counts } = await loadAt(database, world, at(130), { from: at(0) })
    expect(counts).toMatchObject({ added: 0, revised: 1 })
    expect(await written()).toContainEqual(['candles-kraken', 0, 1, 1])
    expect((await candles())[0]).toBe('1h 11-19T00:00 100.75682382134 4')
  })

  it('continues shortly before the end of what was asked of each venue', async () => {
    await loadAt(database, world, at(125))
    world.asked.length = 0
    await loadAt(database, world, at(140))
    const bitstamp = world.asked.find(({ venue }) => venue === 'bitstamp')
    expect(bitstamp?.url).toContain(`start=${at(125 - 15).getTime() / 1000}&end=${at(139).getTime() / 1000}`)
  })

  it('sends each venue one request at a time', async () => {
    const assets = [BITCOIN, { assetId: 2, slug: 'ethereum', ticker: 'ETH', tier: 1 as const }]
    await loadAt(database, world, NEXT_DAY, { assets, from: at(0) })
    expect(world.asked.filter(({ venue }) => venue === 'coinbase')).toHaveLength(10)
    expect(world.most).toBe(1)
  })

  it('goes on without a venue that is down, and records why', async () => {
    world.answer = (venue) => (venue === 'coinbase' ? { status: 503, body: '' } : null)
    const { venues } = await loadAt(database, world, at(125), { from: at(0) })
    expect(await candles()).toEqual([
      '1h 11-19T00:00 100.668874172185 3',
      '1h 11-19T01:00 110.668674698795 3',
    ])
    expect(venues.map(({ missed }) => missed)).toEqual([0, 0, 1, 0])
    const [failed] = (await ledger()).filter(({ status }) => status === 'failed')
    expect(failed).toMatchObject({ feed: 'candles-coinbase' })
    expect(failed?.error).toContain('answered with status 503')
  })

  const OTHERS: readonly VenueAsset[] = ['ETH', 'SOL', 'XRP'].map((ticker, place) => ({
    assetId: 2 + place,
    slug: ticker.toLowerCase(),
    ticker,
    tier: 1,
  }))

  it.each<readonly [string, PlayedAnswer | 'silence', string]>([
    ['is silent', 'silence', 'did not answer within'],
    ['throttles', { status: 429, body: '', headers: { 'retry-after': '60' } }, 'answered with status 429'],
    ['fails', { status: 503, body: '' }, 'answered with status 503'],
    ['sends a page', { status: 200, body: ' <html>maintenance</html>' }, 'HTML or XML, not JSON'],
    ['sends nothing', { status: 200, body: '' }, 'the body is empty'],
    ['sends garbage', { status: 200, body: '\u0000\u0001 garbage' }, 'the body is not JSON'],
    ['sends garbage with a bad status', { status: 400, body: 'banned' }, 'the body is not JSON'],
    ['sends another kind of JSON', { status: 200, body: 'null' }, 'not a list of rows'],
    ['has banned the caller', { status: 418, body: '{"code":-1003,"msg":"banned"}' }, 'status 418'],
  ])(
    'gives up a venue that %s after four pauses, and asks the others to the end',
    async (_, fault, reason) => {
      // Longer than an answer of the others takes on a busy machine.
      world.timeoutMs = fault === 'silence' ? 1_500 : null
      world.answer = (venue, symbol) => (venue === 'coinbase' && symbol === 'ETH-USD' ? fault : null)
      const pauses: number[] = []
      const assets = [BITCOIN, ...OTHERS]
      const { venues, isComplete } = await loadAt(database, world, at(125), { assets, from: at(0), pauses })
      const out = world.asked.filter(({ venue }) => venue === 'coinbase').map(({ url }) => url.split('/')[2])
      expect(out).toEqual(['BTC-USD', ...Array<string>(5).fill('ETH-USD')])
      expect(pauses).toEqual(reason.endsWith('429') ? [60, 60, 60, 120] : [15, 30, 60, 120])
      for (const venue of ['binance', 'bitstamp', 'kraken'])
        expect(world.asked.filter((one) => one.venue === venue)).toHaveLength(4)
      expect(venues.map(({ venue, givenUp, missed }) => [venue, givenUp === null, missed])).toEqual([
        ['binance', true, 0],
        ['bitstamp', true, 0],
        ['coinbase', false, 3],
        ['kraken', true, 0],
      ])
      expect(venues[2]).toMatchObject({ loaded: 1, bars: 2, rejected: 1 })
      expect(venues[2]?.givenUp).toContain(reason)
      expect(isComplete).toBe(true)
    },
  )

  it('requests the stored pair, and none if it is withdrawn', async () => {
    world.bars.set('kraken BTCUSD', [flat(3, '101', '10'), flat(63, '111', '10')])
    const symbols = { binance: null, bitstamp: 'btcusd', coinbase: 'BTC-USD', kraken: 'BTCUSD' }
    const { venues } = await loadAt(database, world, at(125), {
      assets: [{ ...BITCOIN, symbols }],
      from: at(0),
    })
    expect(world.asked.filter(({ venue }) => venue === 'binance')).toEqual([])
    expect(world.asked.find(({ venue }) => venue === 'kraken')?.url).toContain('pair=BTCUSD&')
    expect(venues.map(({ notListed, bars }) => [notListed, bars])).toEqual([
      [1, 0],
      [0, 2],
      [0, 2],
      [0, 2],
    ])
  })

  it('ends when no venue is left', async () => {
    world.answer = () => ({ status: 200, body: '<html></html>' })
    const assets = [BITCOIN, ...OTHERS]
    const { venues, isComplete, leftOut } = await loadAt(database, world, at(125), { assets, from: at(0) })
    expect(world.asked).toHaveLength(4 * 5)
    expect(venues.map(({ missed }) => missed)).toEqual([1, 1, 1, 1])
    expect([isComplete, leftOut]).toEqual([false, 3])
    expect((await ledger()).map(({ status }) => status)).toEqual(VENUES.map(() => 'failed'))
  })

  it('gives insufficient_sources and an empty price if only two venues answer', async () => {
    world.answer = (venue) =>
      venue === 'coinbase' || venue === 'kraken' ? { status: 200, body: '<html>maintenance</html>' } : null
    await loadAt(database, world, at(125), { from: at(0) })
    expect(await candles()).toEqual(['1h 11-19T00:00 - 2', '1h 11-19T01:00 - 2'])
    world.answer = () => null
    const { candles: counts } = await loadAt(database, world, at(130), { from: at(0) })
    expect(counts).toMatchObject({ revised: 2 })
  })

  it('does not treat an unlisted pair as a failure', async () => {
    world.answer = (venue) =>
      venue === 'binance' ? { status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}' } : null
    const { venues } = await loadAt(database, world, at(125), { from: at(0) })
    expect(venues[0]).toMatchObject({ venue: 'binance', notListed: 1, missed: 0, rejected: 0 })
    expect(await candles()).toHaveLength(2)
  })

  it('makes no candle of the window in which the series begins', async () => {
    await loadAt(database, world, NEXT_DAY, { from: at(60) })
    expect((await candles()).map((text) => text.slice(0, 14))).toEqual(['1h 11-19T01:00'])
  })

  it('converts tether by its own rate of the window, and excludes its venue off the peg', async () => {
    await seedWorld(database, NOON, ['instruments'])
    const rates = (price: string) => {
      world.bars.set('coinbase USDT-USD', [flat(2, price, '10'), flat(62, price, '10')])
      world.bars.set('kraken USDTUSD', [flat(3, price, '10'), flat(63, price, '10')])
    }
    const binance = async () => {
      const hour = `c.asset_id = 1 and c.known_to is null and c.ts = '${at(0).toISOString()}' and c.timeframe = '1h'`
      const sources = (await loadSources(database, hour)).flat()
      return sources.flatMap(({ venue, vwapUsd: price, exclusion }) =>
        venue === 'binance' ? [{ price, exclusion }] : [],
      )
    }
    rates('0.99')
    await loadAt(database, world, at(125), { assets: [BITCOIN, TETHER], from: at(0) })
    expect(await binance()).toEqual([{ price: '99', exclusion: null }])
    rates('0.9')
    // Tether alone has other bars: the candles of the assets after it are made again.
    await loadAt(database, world, at(130), { assets: [BITCOIN, TETHER], from: at(0) })
    expect(await binance()).toEqual([{ price: null, exclusion: 'stablecoin_off_peg' }])
  })

  /** The synthetic world, whose candles end at noon, and a run two hours later. */
  const openSeeded = async () => {
    const seeded = await openTestDatabase(kind, 'seeded')
    onTestFinished(() => seeded.close())
    for (const venue of VENUES) play(venue, [flat(36 * 60, '100', '10'), flat(37 * 60, '110', '10')])
    return { seeded, run: () => loadAt(seeded, world, at(38 * 60 + 5), { from: at(36 * 60) }) }
  }

  it('keeps the synthetic candles while the venues give nothing', async () => {
    const { seeded, run } = await openSeeded()
    world.answer = () => ({ status: 200, body: '' })
    const { venues } = await run()
    expect(venues.map(({ missed }) => missed)).toEqual([1, 1, 1, 1])
    expect(await state(seeded)).toMatchObject({ version: 3, source: 'seed' })
  })

  it('replaces the synthetic candles by the first live ones', async () => {
    const { seeded, run } = await openSeeded()
    const { candles: counts } = await run()
    expect(counts).toMatchObject({ added: 2, removedSeed: 54_296 })
    expect(await seeded.rows('select distinct source from candle')).toEqual([{ source: 'consensus_vwap' }])
    expect(await state(seeded)).toMatchObject({ version: 4, is_dev_dataset: false })
    expect((await seedWorld(seeded, at(48 * 60), ['candles'])).candles).toBeNull()
  })

  it('rejects a flood of bad answers one by one with reasons and loses no good bar', async () => {
    const bad = (['-1', '"NaN"', '1e400', '0', 'null', '"x"'] as const).map((high) => ({ high }))
    const [good, worse] = [30, 10]
    // Every fourth answer is unreadable: a venue with five in a row would rest.
    const isGood = (index: number) => index % 4 !== 3
    const assets = Array.from({ length: good + worse }, (_, index) => ({
      assetId: 100 + index,
      slug: `coin-${index}`,
      ticker: `C${index}`,
      tier: 3 as const,
    }))
    const bodies: readonly PlayedAnswer[] = [
      { status: 200, body: '{"title":502}' },
      { status: 400, body: '{"message":"Bad request"}' },
    ]
    const rubbish = new Map<string, PlayedAnswer>()
    for (const [index, { ticker }] of assets.entries()) {
      for (const venue of VENUES) {
        const form = formOf(venue)
        const symbol = form.adapter.symbolOf(ticker)?.symbol ?? ''
        // Every minute of the hour, good ones among bad rows; one minute comes again with other figures.
        world.bars.set(
          `${venue} ${symbol}`,
          Array.from({ length: 60 }, (_, minute) => flat(minute, '100', '2')),
        )
        world.rawRows.set(
          `${venue} ${symbol}`,
          bad.map((cells, row) => form.row({ ms: at(60 + row).getTime(), ...cells })),
        )
        world.bars.get(`${venue} ${symbol}`)?.push(flat(7, '90', '2'))
        if (!isGood(index)) rubbish.set(`${venue} ${symbol}`, bodies[index % bodies.length] ?? expect.fail())
      }
    }
    world.answer = (venue, symbol) => rubbish.get(`${venue} ${symbol}`) ?? null
    const {
      venues,
      rejections,
      candles: counts,
    } = await loadAt(database, world, at(125), {
      ...{ assets, from: at(0) },
    })
    const nameless = rejections.filter(
      ({ position, reason }) =>
        !/^[a-z]+, coin-\d+, (page 1, row \d+|https:\/\/.+)$/.test(position) || reason.length <= 10,
    )
    expect(nameless).toEqual([])
    for (const { venue, ...of } of venues) {
      expect(of).toMatchObject({
        ...{ loaded: good, missed: worse, bars: good * 59 },
        rejected: good * (bad.length + 2) + worse,
      })
      const own = rejections
        .filter(({ position }) => position.startsWith(`${venue}, coin-0,`))
        .map(({ reason }) => reason)
      expect(own.map((reason) => reason.replace(/ in row \d+$/, ''))).toEqual([
        'high "-1" is negative',
        'high is "NaN", not a number',
        'high "1e400" is out of range: exponents go to ±30',
        'high is zero, but a price is above zero',
        'high is null, not a number',
        'high is "x", not a number',
        `${at(7).toISOString()} has different figures`,
        `${at(7).toISOString()} is repeated with different figures; no row is used`,
      ])
    }
    expect(counts.added).toBe(good)
    expect(await candles(null, 100)).toEqual(['1h 11-19T00:00 100 4'])
    expect(
      await database.rows('select count(*) as bars, count(distinct asset_id) as assets from minute_bar'),
    ).toEqual([{ bars: 4 * good * 59, assets: good }])
  })
})
