import { MIN_SOURCES } from '../../../../core/consensus/consensus.js'
import { freshnessKindOfTier, refreshIntervalMs } from '../../../../core/freshness.js'
import { HOUR_MS } from '../../../../core/time.js'
import type { Signal } from '../../../../domains/analysis/model.js'
import type { AnalysisInput } from '../generator.js'
import {
  amountUsd,
  computeScore,
  computeWindow,
  dailyPrices,
  dailyVolumes,
  type Findings,
  fraction,
  hourlyPrices,
  isTokenStablecoin,
  newestPriced,
  quotient,
  scaledMomentum,
} from './findings.js'
import { coverage, movingAverage, realisedVolatility, roundTo, simpleReturn } from './statistics.js'
import { formatAssetTitle, listText, percentText, sentence, signedPercentText, usdText } from './summary.js'

/** A month of volumes before the last day, and of returns. */
const DAYS = 31

/** A day of hours with the price 24 hours earlier, and two more for gaps. */
const HOURS = 27

interface Figures {
  readonly price: number | null
  readonly change24h: number | null
  readonly change7d: number | null
  readonly volume: number | null
  readonly volumeToMean: number | null
  readonly exchanges: number | null
  /** Null if the asset has no hourly window. */
  readonly pricedShare: number | null
  /** Whole hours, because seconds would make every analysis differ from the previous one. */
  readonly ageHours: number | null
  readonly breadth: number | null
}

/**
 * The price and how reliable it is: newest consensus price, changes over 24 hours (hourly windows) and 7 days
 * (daily windows), market capitalisation (price x supply), the last day's volume over the mean of the 30 days
 * before, number of exchanges behind the newest price, share of the last 24 hourly windows that have a price, age
 * of the newest priced window, and breadth: the share of the tier above its 20-day average. Score: the mean of two
 * parts in [-1, 1]. Momentum: tanh(change_7d / (volatility_30d x sqrt(7 / 365))). Breadth: 2 x tier_breadth_20d -
 * 1. Null if either is missing, and for stablecoins, whose price should not move.
 */
export function marketContextFindings(
  input: AnalysisInput,
  method: { readonly hasBreadth: boolean },
): Findings {
  const figures = measure(input, method.hasBreadth)
  const momentum = scaledMomentum(figures.change7d, realisedVolatility(dailyPrices(input, DAYS), 30), 7)
  const breadth = figures.breadth === null ? null : 2 * figures.breadth - 1
  return {
    signals: signalsOf(input, figures, method.hasBreadth),
    sentimentScore: isTokenStablecoin(input)
      ? null
      : computeScore(method.hasBreadth ? [momentum, breadth] : [momentum]),
    sentences: sentencesOf(input, figures),
    window: computeWindow(input, { days: DAYS, hours: HOURS }),
  }
}

function measure(input: AnalysisInput, hasBreadth: boolean): Figures {
  const hours = hourlyPrices(input, HOURS)
  const volumes = dailyVolumes(input, DAYS)
  const newest = newestPriced(input)
  const volume = volumes.at(-1) ?? null
  const mean = movingAverage(volumes.slice(0, -1), DAYS - 1)
  return {
    price: newest?.point.priceUsd ?? null,
    change24h: simpleReturn(hours, 24),
    change7d: simpleReturn(dailyPrices(input, DAYS), 7),
    volume,
    volumeToMean: volume === null || !mean ? null : volume / mean,
    exchanges: newest?.point.exchangesCount ?? null,
    pricedShare: input.hourly.length === 0 ? null : coverage(hours, 24),
    ageHours: newest === null ? null : Math.floor((input.asOf.getTime() - newest.end.getTime()) / HOUR_MS),
    breadth: hasBreadth ? input.tierBreadth : null,
  }
}

function signalsOf(input: AnalysisInput, figures: Figures, hasBreadth: boolean): readonly Signal[] {
  const { price, ageHours, exchanges } = figures
  const marketCap = price === null || input.supplyUnits === null ? null : price * input.supplyUnits
  const refreshHours = refreshIntervalMs(freshnessKindOfTier(input.asset.tier), input.asOf) / HOUR_MS
  return [
    amountUsd('price_usd', price),
    fraction('change_24h', figures.change24h),
    fraction('change_7d', figures.change7d),
    amountUsd('market_cap_usd', marketCap),
    amountUsd('volume_1d_usd', figures.volume),
    quotient('volume_to_mean_30d', figures.volumeToMean, 1),
    { name: 'exchanges_count', value: exchanges, unit: 'exchanges', threshold: MIN_SOURCES },
    fraction('priced_windows_24h', figures.pricedShare),
    { name: 'newest_window_age', value: ageHours, unit: 'hours', threshold: refreshHours },
    ...(hasBreadth ? [fraction('tier_breadth_20d', figures.breadth)] : []),
  ]
}

function sentencesOf({ asset, asOf }: AnalysisInput, figures: Figures): readonly string[] {
  const { price, change24h, change7d, exchanges, volumeToMean, pricedShare, breadth } = figures
  const title = formatAssetTitle(asset)
  if (price === null) {
    return [`No recent consensus price of ${title} is known as of ${asOf.toISOString().slice(0, 16)}Z.`]
  }
  const moves = [
    change24h === null ? null : `${signedPercentText(change24h)} over 24 hours`,
    change7d === null ? null : `${signedPercentText(change7d)} over 7 days`,
  ].filter((text) => text !== null)
  const volume = roundTo(volumeToMean, 2)
  const activity = [
    volume === null
      ? null
      : `the last day's volume was ${volume.toFixed(2)} times the mean of 30 days before`,
    pricedShare === null ? null : `${percentText(pricedShare)} of the last 24 hourly windows had a price`,
  ].filter((text) => text !== null)
  const priced = `${title} had a consensus price of ${usdText(price)} USD from ${exchanges} exchanges`
  return [
    sentence([priced, ...moves].join(', ')),
    ...(activity.length === 0 ? [] : [sentence(listText(activity))]),
    ...(breadth === null || asset.tier === null
      ? []
      : [
          sentence(
            `${percentText(breadth)} of the assets of tier ${asset.tier} were above their 20-day average`,
          ),
        ]),
  ]
}
