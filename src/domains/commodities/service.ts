import { type DayRange, type KnownAsOf, knownByText } from '../../core/day-range.js'
import { invalid, notFound } from '../../core/errors.js'
import { explainTicker, parseTicker } from '../../core/identifiers.js'
import { didYouMean, suggest } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { COMMODITY_CATALOGUE, commodityBySlug, commodityBySymbol } from './catalogue-model.js'
import { newestPriceOf, pricesWithin } from './loaders.js'
import type { Commodity, CommodityPrice, PricedCommodity } from './model.js'

export interface CommodityQuery extends KnownAsOf {
  readonly symbol: string
}

/** The symbol in upper case; 422 when it has not the shape of one. */
export function parseSymbol(text: string): string {
  const symbol = parseTicker(text)
  if (symbol === null) throw invalid({ field: 'symbol', message: explainTicker(text) ?? 'must be a symbol' })
  return symbol
}

/** Every commodity that has a price, with the newest one that is known (null) or was known at an instant, in the order of the catalogue; one statement. */
export async function listCommodities(
  asOf: Date | null,
  context: RequestContext,
): Promise<readonly PricedCommodity[]> {
  const priced = await Promise.all(
    COMMODITY_CATALOGUE.map((commodity) => withPrice(commodity, asOf, context)),
  )
  return priced.filter((commodity) => commodity !== null)
}

/** A commodity with its newest price; 404 where there is none, which says what is near. */
export async function getCommodity(
  { symbol, asOf }: CommodityQuery,
  context: RequestContext,
): Promise<PricedCommodity> {
  const commodity = commodityBySymbol(symbol)
  if (commodity === null) throw unknown(symbol)
  const priced = await withPrice(commodity, asOf, context)
  if (priced !== null) return priced
  throw notFound(
    (name) =>
      `No price of ${symbol} (${commodity.name}) was ingested ${knownByText(asOf)}; those that have one are listed by ${name('commodities')}.`,
  )
}

function unknown(symbol: string) {
  const near = suggest(
    symbol,
    COMMODITY_CATALOGUE.map((known) => known.symbol),
  )
  return notFound(
    (name) =>
      `No commodity has the symbol ${symbol}${didYouMean(near)} All are listed by ${name('commodities')}.`,
  )
}

/** The commodity behind an asset with its newest price; null for other assets, and without a price. */
export async function getCommodityOfAsset(
  { slug, assetClass }: { readonly slug: string; readonly assetClass: string },
  asOf: Date | null,
  context: RequestContext,
): Promise<PricedCommodity | null> {
  const commodity = assetClass === 'commodity' ? commodityBySlug(slug) : null
  return commodity && withPrice(commodity, asOf, context)
}

async function withPrice(
  commodity: Commodity,
  asOf: Date | null,
  context: RequestContext,
): Promise<PricedCommodity | null> {
  const price = await newestPriceOf(commodity.symbol, asOf, context)
  return price && { ...commodity, price }
}

/** Prices of a commodity, one a month, oldest first; all commodities of an answer are one statement. */
export function getPricesOfCommodity(
  { symbol }: Commodity,
  range: DayRange,
  context: RequestContext,
): Promise<readonly CommodityPrice[]> {
  return pricesWithin(symbol, range, context)
}
