import { toIsoDate } from '../../core/time.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
import { type CapitalKey, loadLastMarketCaps } from './last-market-cap-store.js'
import type { LastMarketCapInputs, MarketCapInputs } from './market-cap-model.js'
import {
  type AnnualReport,
  loadMarketCaps,
  loadReports,
  type MarketCapKey,
  type ReportsKey,
} from './store.js'

const reportsText = ({ assetId, cik, filedBy, before, limit }: ReportsKey) =>
  `${assetId} ${cik} ${filedBy} ${before} ${limit}`

/** Annual reports of a filer, the newest first. All filers of a request share one statement. */
export const annualReports = defineLoader<ReportsKey, readonly AnnualReport[]>(async (keys, context) => {
  const reports = await loadReports(context.database, keys)
  return new Map(keys.map((key, at) => [reportsText(key), reports[at] ?? []]))
}, reportsText)

const marketCapText = (key: MarketCapKey) =>
  [key.assetId, key.ticker, key.mic, key.cik, key.first, key.last, key.filedBy].join(' ')

/** Prices and share counts of a listing. All listings of a request share one statement. */
export const marketCapInputs = defineLoader<MarketCapKey, MarketCapInputs>(async (keys, context) => {
  const inputs = await loadMarketCaps(context.database, keys)
  return new Map(inputs.map((input, at) => [marketCapText(keys[at] as MarketCapKey), input])) // safe: one input per key
}, marketCapText)

const capitalText = ({ assetId, ticker, mic, cik }: CapitalKey) => [assetId, ticker, mic, cik].join(' ')

/** The newest price of a listing with the share counts before it. All listings of a request share one statement. */
export const lastMarketCapInputs = defineLoader<CapitalKey, LastMarketCapInputs>(async (keys, context) => {
  const inputs = await loadLastMarketCaps(context.database, keys, toIsoDate(context.now))
  return new Map(
    inputs.flatMap((input, at) => (input === null ? [] : [[capitalText(keys[at] as CapitalKey), input]])), // as above
  )
}, capitalText)
