import { consensus, type VenueInput } from '../../../core/consensus/consensus.js'
import { buildPair, type Venue } from '../../../core/consensus/venue-symbols.js'
import type { VenueBar, VenueExclusion } from '../../../core/consensus/venue-vwap.js'
import { type Decimal, decimal } from '../../../core/decimal.js'
import { endOfDay } from '../../../core/time.js'
import type { StoredCandle } from '../../../domains/market/backfill-store.js'
import type { StoredSource } from '../../../domains/market/model.js'
import type { CandleRow } from '../../../domains/market/store.js'
import { CONSENSUS_SOURCE } from '../../datasets/market/candles-policy.js'
import {
  candleRow,
  median,
  type PricedAsset,
  readWindow,
  type UsdRate,
  windowsWithin,
} from '../../datasets/market/roll-up.js'

const EXCLUSIONS: readonly VenueExclusion[] = ['no_volume', 'invalid_price', 'stablecoin_off_peg']

/** The known data of one UTC day of an asset. */
export interface DayInput {
  /** Start of the day. */
  readonly day: Date
  /** All bars of the day of these venues only. */
  readonly venues: readonly string[]
  readonly bars: readonly VenueBar[]
  readonly stored: readonly StoredCandle[]
  /** The oldest hour that is kept. */
  readonly hoursFrom: Date
}

/**
 * The candles of the day. Each window combines the venues requested now with the inputs of other venues that the
 * stored candle lists. A window without a venue gives no candle.
 */
export function candlesOfDay(asset: PricedAsset, facts: DayInput, usdRate: UsdRate): readonly CandleRow[] {
  const { day, venues, bars, hoursFrom } = facts
  const stored = new Map(facts.stored.map((candle) => [keyOf(candle), candle]))
  return windowsWithin(day, endOfDay(day)).flatMap((window) => {
    if (window.timeframe === '1h' && window.ts < hoursFrom) return []
    const known = stored.get(keyOf(window))
    const isOwn = known?.source === CONSENSUS_SOURCE
    const kept = isOwn ? known.sources.filter(({ venue }) => !venues.includes(venue)) : []
    const read = readWindow(asset, window, bars, usdRate)
    const inputs = [...kept.map(inputOf), ...read.inputs]
    if (inputs.length === 0) return []
    const prices = new Map([
      ...kept.flatMap(({ venue, prices }) => (prices === undefined ? [] : [[venue, prices] as const])),
      ...read.prices,
    ])
    return [candleRow(asset.assetId, window, consensus(inputs, asset.tier), prices)]
  })
}

/**
 * USD per unit of a stablecoin in the stored candles of its day: the median of the venues that trade it against US
 * dollars, as for one-minute bars.
 */
export function rateOfStored(
  ticker: string,
  stored: readonly StoredCandle[],
): (window: Parameters<UsdRate>[1]) => Decimal | null {
  const own = stored.filter(({ source }) => source === CONSENSUS_SOURCE)
  const rates = new Map(own.map((candle) => [keyOf(candle), median(dollarPrices(ticker, candle.sources))]))
  return (window) => rates.get(keyOf(window)) ?? null
}

function dollarPrices(ticker: string, sources: readonly StoredSource[]): readonly Decimal[] {
  return sources.flatMap(({ venue, vwapUsd }) => {
    // Only venues with one-minute bars contribute to such a candle.
    const isInDollars = buildPair(venue as Venue, ticker)?.quoteCurrency === 'USD'
    return vwapUsd === null || !isInDollars ? [] : decimal(vwapUsd)
  })
}

/** A published input gives the same consensus when it is computed again. */
function inputOf({ venue, vwapUsd, volumeUsd, exclusion }: StoredSource): VenueInput {
  if (vwapUsd !== null && volumeUsd !== null) {
    return { venue, vwapUsd: decimal(vwapUsd), volumeUsd: decimal(volumeUsd) }
  }
  return { venue, excluded: EXCLUSIONS.find((known) => known === exclusion) ?? 'no_volume' }
}

function keyOf({ timeframe, ts }: Pick<StoredCandle, 'timeframe' | 'ts'>): string {
  return `${timeframe} ${ts.getTime()}`
}
