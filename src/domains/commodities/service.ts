import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseDate,
  parseOrder,
  parseTickerArgument,
} from '../../core/argument-parsers.js'
import type { AsOf } from '../../core/as-of.js'
import { type DayRange, type KnownAsOf, knownByText, NEWEST_DAY } from '../../core/day-range.js'
import { invalid, notFound } from '../../core/errors.js'
import { explainTicker, parseTicker } from '../../core/identifiers.js'
import { parseSeriesPage, type SeriesPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import type { IsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { COMMODITY_CATALOGUE, commodityBySlug, commodityBySymbol } from './catalogue-model.js'
import { commodityPricePage, newestPriceOf, pricesWithin } from './loaders.js'
import type { Commodity, CommodityPrice, PricedCommodity } from './model.js'
import type { CommodityPricePage } from './store.js'

export interface CommodityQuery extends KnownAsOf {
  readonly symbol: string
}

export interface CommodityPricesQuery extends CommodityQuery, SeriesPage {
  readonly from: IsoDate
  readonly to: IsoDate
}

/** Parses the query for the prices of a commodity. The 422 names every wrong argument. */
export function parseCommodityPrices(
  args: {
    readonly symbol: string
    readonly from?: Given<string>
    readonly to?: Given<string>
    readonly page?: Given<number>
    readonly limit?: Given<number>
  } & AsOfArguments,
  { now }: Pick<RequestContext, 'now'>,
): CommodityPricesQuery {
  const problems = new Problems()
  const symbol = parseTickerArgument(problems, args.symbol, 'symbol')
  const from = parseDate(problems, 'from', args.from) ?? NEWEST_DAY.from
  const to = parseDate(problems, 'to', args.to) ?? NEWEST_DAY.to
  parseOrder(problems, from, to)
  const page = parseSeriesPage(problems, args)
  const asOf = parseAsOfArgument(problems, args, now)
  problems.refuse()
  return { ...page, symbol: symbol ?? '', from, to, asOf }
}

/** The symbol in upper case, or a 422 if the text is malformed. */
export function parseSymbol(text: string): string {
  const symbol = parseTicker(text)
  if (symbol === null) throw invalid({ field: 'symbol', message: explainTicker(text) ?? 'must be a symbol' })
  return symbol
}

/**
 * Every commodity that has a price, with its newest price, in the order of the catalogue and in one statement. `asOf`
 * selects what was known at that instant, null what is known now.
 */
export async function listCommodities(
  asOf: AsOf | null,
  context: RequestContext,
): Promise<readonly PricedCommodity[]> {
  const priced = await Promise.all(
    COMMODITY_CATALOGUE.map((commodity) => loadPriced(commodity, asOf, context)),
  )
  return priced.filter((commodity) => commodity !== null)
}

/** A commodity with its newest price. The 404 for an unknown symbol suggests a similar one. */
export async function getCommodity(
  { symbol, asOf }: CommodityQuery,
  context: RequestContext,
): Promise<PricedCommodity> {
  const commodity = commodityBySymbol(symbol)
  if (commodity === null) throw unknownSymbol(symbol)
  const priced = await loadPriced(commodity, asOf, context)
  if (priced !== null) return priced
  throw notFound(
    (name) =>
      `No price of ${symbol} (${commodity.name}) was ingested ${knownByText(asOf)}. Use ${name('commodities')} to list the commodities with a price.`,
  )
}

function unknownSymbol(symbol: string) {
  const near = suggest(
    symbol,
    COMMODITY_CATALOGUE.map((known) => known.symbol),
  )
  return notFound(
    (name) =>
      `No commodity has the symbol ${symbol}${didYouMean(near)} Use ${name('commodities')} to list all symbols.`,
  )
}

/** The commodity of an asset with its newest price. Null for other assets, and without a price. */
export async function getCommodityOfAsset(
  { slug, assetClass }: { readonly slug: string; readonly assetClass: string },
  asOf: AsOf | null,
  context: RequestContext,
): Promise<PricedCommodity | null> {
  const commodity = assetClass === 'commodity' ? commodityBySlug(slug) : null
  return commodity && loadPriced(commodity, asOf, context)
}

async function loadPriced(
  commodity: Commodity,
  asOf: AsOf | null,
  context: RequestContext,
): Promise<PricedCommodity | null> {
  const price = await newestPriceOf(commodity.symbol, asOf, context)
  return price && { ...commodity, price }
}

/** A page of the monthly prices of a commodity, oldest first. Throws the 404 of `getCommodity`. */
export async function getCommodityPrices(
  query: CommodityPricesQuery,
  context: RequestContext,
): Promise<CommodityPricePage> {
  await getCommodity(query, context)
  return (await commodityPricePage(context).load(query)) ?? { prices: [], total: 0 }
}

/** Monthly prices of a commodity, oldest first. All commodities of a request share one statement. */
export function getPricesOfCommodity(
  { symbol }: Commodity,
  range: DayRange,
  context: RequestContext,
): Promise<readonly CommodityPrice[]> {
  return pricesWithin(symbol, range, context)
}
