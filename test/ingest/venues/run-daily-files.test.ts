import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { recompute } from '../../../src/core/consensus/consensus.js'
import { fixedClock } from '../../../src/core/time.js'
import { BrokenBody, IngestError } from '../../../src/ingest/feed.js'
import { type DailyFile, runDailyFiles, venueOfFile } from '../../../src/ingest/venues/run-daily-files.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { loadSources } from '../../domains/market/stored-sources.js'
import { availableDatabases, openTestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'
import { BITCOIN } from './venue-world.js'

const NOW = SEEDED_AT
const LATER = new Date('2026-11-20T13:00:00Z')
const NAMES = ['Bitfinex', 'Bitstamp', 'Coinbase', 'Kraken'].map((name) => `${name}_BTCUSD_d.csv`)
const paths = NAMES.map((name) => samplePath(`exchanges/daily/${name}`))

/** A file in the older form; its newest day is left out by its reader. */
function file(name: string, ...lines: readonly string[]): DailyFile {
  const header = 'Date,Symbol,Open,High,Low,Close,Volume BTC,Volume USD'
  const text = [header, '2019-08-29,BTCUSD,100,100,100,100,1,100', ...lines, ''].join('\n')
  const bytes = new TextEncoder().encode(text)
  return { venue: venueOfFile(name), source: { kind: 'bytes', bytes, origin: name } }
}

const flat = (day: string, price: number, volume: number) =>
  `${day},BTCUSD,${price},${price},${price},${price},${volume},${price * volume}`

describe('venueOfFile', () => {
  it('finds the venue in the file name', () => {
    expect(venueOfFile('/some/where/Bitstamp_BTCUSD_d.csv')).toBe('bitstamp')
    expect(() => venueOfFile('/Gemini_BTCUSD_d.csv')).toThrow(
      new IngestError(
        '"Gemini_BTCUSD_d.csv" does not name a venue; known are bitfinex, bitstamp, coinbase, kraken',
      ),
    )
  })
})

describe.each(availableDatabases())('runDailyFiles on %s', { timeout: 120_000 }, (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(() => database.script('truncate minute_bar, candle, ingest_run, dataset_state'))

  const run = (files: readonly DailyFile[], at = NOW, into = database) =>
    runDailyFiles({ database: into, clock: fixedClock(at), log: createLogger('silent') }, BITCOIN, files)
  const candles = async (from = database) => {
    const rows = await from.rows<{ day: string; price: string | null; source: string }>(
      `select to_char(ts, 'YYYY-MM-DD') as day, trim_scale(vwap_usd) as price, source
       from candle where timeframe = '1d' and known_to is null order by ts`,
    )
    const sources = await loadSources(from, `c.timeframe = '1d' and c.known_to is null`)
    return rows.map((row, place) => ({ ...row, sources: sources[place] ?? [] }))
  }

  it('makes a candle of every day of a file, from the venues that have it', async () => {
    const summary = await run([
      file(NAMES[0] ?? '', flat('2019-08-28', 100, 1), flat('2019-08-27', 100, 1)),
      file(NAMES[1] ?? '', flat('2019-08-28', 102, 1), flat('2019-08-27', 200, 1)),
      file(NAMES[2] ?? '', flat('2019-08-28', 101, 1), '2019-08-27,BTCUSD,100,-1,100,100,1,100'),
    ])
    expect(summary).toMatchObject({
      rows: 5,
      candles: { added: 2, revised: 0, unchanged: 0, removedSeed: 0 },
      rejected: 4,
      days: [
        { venues: 3, status: 'ok', days: 1 },
        { venues: 2, status: 'insufficient_sources', days: 1 },
      ],
      exclusions: [
        { venue: 'bitfinex', reason: 'outlier', days: 1, commonDays: 0 },
        { venue: 'bitstamp', reason: 'outlier', days: 1, commonDays: 0 },
      ],
    })
    expect(summary.rejections[2]).toEqual({
      position: `${NAMES[2]}, line 4`,
      reason: 'high "-1" is negative',
    })
    expect((await candles()).map(({ day, price, source }) => [day, price, source])).toEqual([
      ['2019-08-27', null, 'cryptodatadownload'],
      ['2019-08-28', '101.006600660066', 'cryptodatadownload'],
    ])
    expect(
      await database.rows('select feed, provider, status, origin, added, rejected from ingest_run'),
    ).toEqual([
      {
        feed: 'candles-daily',
        provider: 'cryptodatadownload',
        status: 'succeeded',
        origin: NAMES.slice(0, 3).join(', '),
        added: 2,
        rejected: 4,
      },
    ])
  })

  it('changes nothing when the same files come again, and revises a corrected day', async () => {
    const files = (price: number) =>
      NAMES.slice(0, 3).map((name) => file(name, flat('2019-08-28', price, 1), flat('2019-08-27', 50, 1)))
    await run(files(100))
    expect((await run(files(100), LATER)).candles).toMatchObject({ added: 0, revised: 0, unchanged: 2 })
    expect(await database.rows('select version from dataset_state')).toEqual([{ version: 1 }])
    expect((await run(files(101), LATER)).candles).toMatchObject({ added: 0, revised: 1, unchanged: 1 })
  })

  it('keeps days with a candle from one-minute bars', async () => {
    await database.rows(
      `insert into candle (asset_id, timeframe, ts, exchanges_count, methodology_version, sources, source, known_from)
       values (1, '1d', '2019-08-28Z', 0, 'm', '\\x01', 'consensus_vwap', $1)`,
      [NOW],
    )
    const files = NAMES.slice(0, 3).map((name) =>
      file(name, flat('2019-08-28', 9, 1), flat('2019-08-27', 9, 1)),
    )
    expect(await run(files, LATER)).toMatchObject({ keptDays: 1, candles: { added: 1, revised: 0 } })
  })

  it('is stored completely or not at all: a broken file leaves only its reason', async () => {
    const broken: DailyFile = {
      venue: 'kraken',
      source: { kind: 'bytes', bytes: new TextEncoder().encode('<html>'), origin: 'page' },
    }
    await expect(run([file(NAMES[0] ?? '', flat('2019-08-28', 9, 1)), broken])).rejects.toThrow(BrokenBody)
    expect(await candles()).toEqual([])
    expect(await database.rows('select status, error from ingest_run')).toEqual([
      { status: 'failed', error: 'BrokenBody: the body is HTML or XML, not CSV' },
    ])
  })

  it('refuses two files of one venue, and rejects another asset', async () => {
    const kraken = file(NAMES[3] ?? '', flat('2019-08-28', 9, 1))
    await expect(run([kraken, kraken])).rejects.toThrow('give one file per venue; got kraken, kraken')
    const ether = file(NAMES[3] ?? '', 'x')
    const bytes = new TextEncoder().encode(
      'Date,Symbol,Open,High,Low,Close,Volume ETH,Volume USD\n2019-08-29,ETHUSD,1,1,1,1,1,1\n2019-08-28,ETHUSD,1,1,1,1,1,1\n',
    )
    const { rows, rejections } = await run([{ ...ether, source: { kind: 'bytes', bytes, origin: 'e' } }])
    expect([rows, rejections[0]]).toEqual([
      0,
      { position: 'e, 2019-08-28', reason: 'the row is about ETH, not BTC' },
    ])
  })

  it.skipIf(paths.includes(null))(
    'prices the common days of four venues, 2015 to 2019, within their range (skipped without the samples)',
    async () => {
      const seeded = await openTestDatabase(kind, 'seeded')
      onTestFinished(() => seeded.close())
      const files = paths.map((path, at) => ({
        venue: venueOfFile(NAMES[at] ?? ''),
        source: { kind: 'file' as const, path: path ?? '' },
      }))
      const summary = await run(files, LATER, seeded)
      expect(summary).toMatchObject({
        rows: 8332,
        rejected: 5,
        candles: { added: 3240, removedSeed: 23_116 },
      })
      // Counted over all 1,651 common days: 1,191 with a price, exclusions 24, 100 and 1,272. The readers leave two of
      // these days out: the newest of three files, and one whose volumes at Bitfinex fit no price.
      expect(summary.days.filter(({ venues }) => venues === 4)).toEqual([
        { venues: 4, status: 'ok', days: 1190 },
        { venues: 4, status: 'insufficient_sources', days: 459 },
      ])
      const countOf = (reason: string) =>
        summary.exclusions
          .filter((each) => each.reason === reason)
          .reduce((sum, { commonDays }) => sum + commonDays, 0)
      expect([countOf('no_volume'), countOf('outlier'), countOf('dominant_volume')]).toEqual([24, 99, 1271])
      const priced = (await candles(seeded)).filter(({ price }) => price !== null)
      expect(priced).toHaveLength(1190)
      const highs = paths.map((path) => rangesOf(path ?? ''))
      const failures = priced.flatMap(({ day, price, sources }) => {
        const prices = sources.flatMap(({ exclusion, vwapUsd }) =>
          exclusion === null ? Number(vwapUsd) : [],
        )
        const ranges = highs.flatMap((of) => of.get(day) ?? [])
        const isAmongPrices = Number(price) >= Math.min(...prices) && Number(price) <= Math.max(...prices)
        const isInRange =
          Number(price) > Math.min(...ranges.map(({ low }) => low)) &&
          Number(price) < Math.max(...ranges.map(({ high }) => high))
        const isRecomputed = recompute(sources)?.toFixed() === price
        return isAmongPrices && isInRange && isRecomputed
          ? []
          : [{ day, price, prices, ranges, isRecomputed }]
      })
      expect(failures).toEqual([])
    },
  )
})

/** Low and high of each day, read off a file by other means than its reader's. */
function rangesOf(path: string): ReadonlyMap<string, { readonly low: number; readonly high: number }> {
  const [header = '', ...lines] = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('https:'))
  const names = header.toLowerCase().split(',')
  return new Map(
    lines.map((line) => {
      const cells = line.split(',')
      const cell = (name: string) => cells[names.indexOf(name)] ?? ''
      return [cell('date').slice(0, 10), { low: Number(cell('low')), high: Number(cell('high')) }]
    }),
  )
}
