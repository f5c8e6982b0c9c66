import { asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import type { OffsetPage } from '../../core/page.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
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
const fundText = (key: FundKey) => `${key.ticker} ${fundAsOfText(key)}`

/** The ETF of a ticker. Tickers with the same day and instant share one statement. */
export const fundByTicker = defineLoader<FundKey, StoredFund>(async (keys, context) => {
  const found = new Map<string, StoredFund>()
  for (const group of groupBy(keys, fundAsOfText).values()) {
    const tickers = group.map(({ ticker }) => ticker)
    const funds = await loadKnownFunds(tickers, group[0], context)
    for (const key of group) {
      const fund = funds.get(key.ticker)
      if (fund !== undefined) found.set(fundText(key), fund)
    }
  }
  return found
}, fundText)

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

const assetText = (key: AssetAsOf) => `${key.assetId} ${fundAsOfText(key)}`

/** The ETF of an asset. All assets of a page with the same day and instant share one statement. */
export const fundByAsset = defineLoader<AssetAsOf, StoredFund>(async (keys, context) => {
  const found = new Map<string, StoredFund>()
  for (const group of groupBy(keys, fundAsOfText).values()) {
    const assetIds = group.map(({ assetId }) => assetId)
    const stored = await loadFundsByAsset(context.database, assetIds, group[0])
    const funds = new Map((await asKnown([...stored.values()], context)).map((fund) => [fund.assetId, fund]))
    for (const key of group) {
      const fund = funds.get(key.assetId)
      if (fund !== undefined) found.set(assetText(key), fund)
    }
  }
  return found
}, assetText)

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

interface HoldersKey extends AssetAsOf, OffsetPage {}

const holdersPageText = ({ limit, offset, ...asOf }: Omit<HoldersKey, 'assetId'>) =>
  `${limit} ${offset} ${fundAsOfText(asOf)}`
const holdersText = (key: HoldersKey) => `${key.assetId} ${holdersPageText(key)}`

/** The ETFs that hold an asset. All assets of a page share one statement. */
export const holdersOfAsset = defineLoader<HoldersKey, HoldersPage>(async (keys, context) => {
  const found = new Map<string, HoldersPage>()
  for (const group of groupBy(keys, holdersPageText).values()) {
    const [page] = group
    const assetIds = group.map(({ assetId }) => assetId)
    for (const [assetId, ofAsset] of await loadHolders(context.database, assetIds, page))
      found.set(holdersText({ ...page, assetId: Number(assetId) }), ofAsset)
  }
  return found
}, holdersText)
