import { asOfText } from '../../core/as-of.js'
import type { OffsetPage } from '../../core/page.js'
import { defineGroupedLoader, defineLoader } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { asKnown, identityInstant, listHoldersOfTickers } from '../assets/known-identity-service.js'
import { type FundAsOf, loadFundsByAsset, loadFundsByTicker, type StoredFund } from './fund-store.js'
import { type HoldersPage, type HoldingKey, loadHeldAssets, loadHolders } from './holder-store.js'
import { type HoldingsPage, loadHoldings, type StoredHolding } from './holding-store.js'

/** An ETF by ticker, as of a day and an instant. */
export interface FundKey extends FundAsOf {
  readonly ticker: string
}

const fundAsOfText = ({ day, knownAt }: FundAsOf) => `${day} ${asOfText(knownAt)}`

/** The ETF of a ticker. Tickers with the same day and instant share one statement. */
export const fundByTicker = defineGroupedLoader<FundKey, StoredFund>({
  groupText: fundAsOfText,
  itemText: ({ ticker }) => ticker,
  load: (keys, context) =>
    loadKnownFunds(
      keys.map(({ ticker }) => ticker),
      keys[0],
      context,
    ),
})

/** The ETFs that have the tickers, or had them at the instant of the context's clock. */
async function loadKnownFunds(
  tickers: readonly string[],
  asOf: FundAsOf,
  context: RequestContext,
): Promise<ReadonlyMap<string, StoredFund>> {
  const { database } = context
  const instant = identityInstant(context)
  if (instant === null) return loadFundsByTicker(database, tickers, asOf)
  const holders = await listHoldersOfTickers(tickers, instant, context)
  const funds = await asKnown([...(await loadFundsByAsset(database, holders, asOf)).values()], context)
  return new Map(funds.map((fund) => [fund.ticker, fund]))
}

/** An asset, as of a day and an instant. */
interface AssetAsOf extends FundAsOf {
  readonly assetId: number
}

const assetText = ({ assetId }: AssetAsOf) => String(assetId)

/** The ETF of an asset. All assets of a page with the same day and instant share one statement. */
export const fundByAsset = defineGroupedLoader<AssetAsOf, StoredFund>({
  groupText: fundAsOfText,
  itemText: assetText,
  load: async (keys, context) => {
    const assetIds = keys.map(({ assetId }) => assetId)
    const stored = await loadFundsByAsset(context.database, assetIds, keys[0])
    const known = await asKnown([...stored.values()], context)
    return new Map(known.map((fund) => [String(fund.assetId), fund]))
  },
})

const pageText = ({ reportId, limit, offset }: HoldingsPage) => `${reportId} ${limit} ${offset}`

/** A page of the holdings of a report. All pages of a tick share one statement. */
export const holdingsPage = defineLoader<HoldingsPage, readonly StoredHolding[]>(
  (pages, { database }) => loadHoldings(database, pages),
  pageText,
)

const holdingText = ({ reportId, position }: HoldingKey) => `${reportId} ${position}`

/** The asset that matches a holding, or null. All holdings of a page share one statement. */
export const heldAsset = defineLoader<HoldingKey, number>(
  (keys, { database }) => loadHeldAssets(database, keys),
  holdingText,
)

interface HoldersKey extends AssetAsOf, OffsetPage {}

/** The ETFs that hold an asset. All assets of a page share one statement. */
export const holdersOfAsset = defineGroupedLoader<HoldersKey, HoldersPage>({
  groupText: ({ limit, offset, ...asOf }) => `${limit} ${offset} ${fundAsOfText(asOf)}`,
  itemText: assetText,
  load: (keys, { database }) =>
    loadHolders(
      database,
      keys.map(({ assetId }) => assetId),
      keys[0],
    ),
})
