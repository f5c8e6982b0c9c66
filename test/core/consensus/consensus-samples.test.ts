import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AssetTier, type Consensus, consensus } from '../../../src/core/consensus/consensus.js'
import { type VenueBar, venueVwap } from '../../../src/core/consensus/venue-vwap.js'
import { decimal } from '../../../src/core/decimal.js'
import { samplePath } from '../../support/samples.js'

const VENUES = ['Bitfinex', 'Bitstamp', 'Coinbase', 'Kraken'] as const
const paths = VENUES.map((venue) => samplePath(`exchanges/daily/${venue}_BTCUSD_d.csv`))

/** Up to this day the Bitstamp file has its two volume columns swapped; its volume in USD is never turnover. */
const LAST_SWAPPED_DAY = '2018-02-27'

type Days = ReadonlyMap<string, VenueBar>

/** The rows of one file by day, as bars; columns are found by name, cell order differs between files. */
function readDays(venue: string, path: string): Days {
  const [header = '', ...lines] = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('https:'))
  const names = header.toLowerCase().split(',')
  return new Map(
    lines.map((line) => {
      const cells = line.split(',')
      const cell = (name: string) => cells[names.indexOf(name)] ?? ''
      const day = cell('date').slice(0, 10)
      const isBitstamp = venue === 'Bitstamp'
      const bar: VenueBar = {
        venue,
        ts: new Date(`${day}T00:00:00Z`),
        open: decimal(cell('open')),
        high: decimal(cell('high')),
        low: decimal(cell('low')),
        close: decimal(cell('close')),
        baseVolume: decimal(cell(isBitstamp && day <= LAST_SWAPPED_DAY ? 'volume usd' : 'volume btc')),
        quoteVolume: isBitstamp ? null : decimal(cell('volume usd')),
        vwap: null,
        quoteCurrency: 'USD',
      }
      return [day, bar] as const
    }),
  )
}

interface DayConsensus {
  readonly bars: readonly VenueBar[]
  readonly result: Consensus
}

function consensusByDay(tier: AssetTier): readonly DayConsensus[] {
  const files = VENUES.map((venue, index) => readDays(venue, paths[index] ?? ''))
  const days = [...(files[0]?.keys() ?? [])].filter((day) => files.every((file) => file.has(day)))
  return days.map((day) => {
    const bars = files.flatMap((file) => file.get(day) ?? [])
    const inputs = bars.map((bar) => ({ venue: bar.venue, ...venueVwap([bar], null) }))
    return { bars, result: consensus(inputs, tier) }
  })
}

describe.skipIf(paths.includes(null))(
  'consensus of four venues, 2015 to 2019 (skipped without the samples)',
  () => {
    it('lies between the lowest low and the highest high of the venues used, on every day with a price', () => {
      const days = consensusByDay(1)
      expect(days).toHaveLength(1651)
      for (const { bars, result } of days) {
        if (result.vwapUsd === null) continue
        const price = result.vwapUsd
        const used = result.sources
          .filter((source) => source.exclusion === null)
          .map((source) => source.venue)
        const usedBars = bars.filter((bar) => used.includes(bar.venue))
        expect(usedBars.some((bar) => bar.low.lessThanOrEqualTo(price))).toBe(true)
        expect(usedBars.some((bar) => bar.high.greaterThanOrEqualTo(price))).toBe(true)
      }
    })

    // Counted independently with exact fractions.
    it.each([
      [1, 1191, { no_volume: 24, outlier: 100, dominant_volume: 1272 }],
      [2, 1203, { no_volume: 24, outlier: 30, dominant_volume: 1282 }],
      [3, 1212, { no_volume: 24, outlier: 7, dominant_volume: 1277 }],
    ] as const)(
      'with the band of tier %i has a price on %i days; exclusions %o',
      (tier, priced, exclusions) => {
        const results = consensusByDay(tier).map((day) => day.result)
        expect(results.filter((result) => result.status === 'ok')).toHaveLength(priced)
        const reasons = results.flatMap((result) =>
          result.sources.flatMap(({ exclusion }) => exclusion ?? []),
        )
        const count = (reason: string) => reasons.filter((each) => each === reason).length
        expect({
          no_volume: count('no_volume'),
          outlier: count('outlier'),
          dominant_volume: count('dominant_volume'),
        }).toEqual(exclusions)
        expect(reasons).toHaveLength(count('no_volume') + count('outlier') + count('dominant_volume'))
      },
    )
  },
)
