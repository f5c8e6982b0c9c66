import { groupBy } from '../../core/group-by.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
import { type FundAsOf, loadFundsByAsset, loadFundsByTicker, type StoredFund } from './fund-store.js'
import { type HoldingKey, loadHeldAssets, loadHolders, type StoredHolder } from './holder-store.js'
import { type HoldingsPage, loadHoldings, type StoredHolding } from './holding-store.js'

/** An ETF by ticker, as of a day and an instant. */
export interface FundKey extends FundAsOf {
  readonly ticker: string
}

const asOfText = ({ day, knownAt }: FundAsOf) => `${day} ${knownAt?.toISOString() ?? null}`
const fundText = (key: FundKey) => `${key.ticker} ${asOfText(key)}`

/** The ETF of a ticker. Tickers with the same day and instant share one statement. */
export const fundByTicker = defineLoader<FundKey, StoredFund>(async (keys, context) => {
  const found = new Map<string, StoredFund>()
  for (const group of groupBy(keys, asOfText).values()) {
    const tickers = group.map(({ ticker }) => ticker)
    const funds = await loadFundsByTicker(context.database, tickers, group[0])
    for (const key of group) {
      const fund = funds.get(key.ticker)
      if (fund !== undefined) found.set(fundText(key), fund)
    }
  }
  return found
}, fundText)

/** The ETF of an asset. All assets of a page share one statement. */
export const fundByAsset = defineLoader((assetIds: readonly number[], context) =>
  loadFundsByAsset(context.database, assetIds),
)

const pageText = ({ reportId, limit, offset }: HoldingsPage) => `${reportId} ${limit} ${offset}`

/** A page of the holdings of a report. All pages of a tick share one statement. */
export const holdingsPage = defineLoader<HoldingsPage, readonly StoredHolding[]>(async (pages, context) => {
  const found = await loadHoldings(context.database, pages)
  return new Map(pages.map((page, at) => [pageText(page), found[at] ?? []]))
}, pageText)

const holdingText = ({ reportId, position }: HoldingKey) => `${reportId} ${position}`

/** The asset that matches a holding, or null. All holdings of a page share one statement. */
export const heldAsset = defineLoader<HoldingKey, number>(async (keys, context) => {
  const found = await loadHeldAssets(context.database, keys)
  return new Map(
    keys.flatMap((key, at) => {
      const assetId = found[at]
      return assetId === undefined ? [] : [[holdingText(key), assetId] as const]
    }),
  )
}, holdingText)

interface HoldersKey {
  readonly assetId: number
  readonly limit: number
}

const holdersText = ({ assetId, limit }: HoldersKey) => `${assetId} ${limit}`

/** The ETFs that hold an asset. All assets of a page share one statement. */
export const holdersOfAsset = defineLoader<HoldersKey, readonly StoredHolder[]>(async (keys, context) => {
  const found = new Map<string, readonly StoredHolder[]>()
  for (const group of groupBy(keys, ({ limit }) => String(limit)).values()) {
    const { limit } = group[0]
    const assetIds = group.map(({ assetId }) => assetId)
    const holders = await loadHolders(context.database, assetIds, limit)
    for (const [assetId, ofAsset] of holders)
      found.set(holdersText({ assetId: Number(assetId), limit }), ofAsset)
  }
  return found
}, holdersText)
