import { z } from 'zod'
import ROWS from './catalogue.json' with { type: 'json' }
import { COMMODITY_UNITS, type Commodity } from './model.js'

const Row = z.strictObject({
  symbol: z.string(),
  name: z.string(),
  unit: z.enum(COMMODITY_UNITS),
  slug: z.string().nullable(),
})

/**
 * Every commodity whose prices can be stored, in the order of the list. The first ones are in the instrument master and have its
 * tickers. The others have the codes of the IMF.
 */
export const COMMODITY_CATALOGUE: readonly Commodity[] = z.array(Row).parse(ROWS)

const BY_SYMBOL = new Map(COMMODITY_CATALOGUE.map((commodity) => [commodity.symbol, commodity]))
const BY_SLUG = new Map(COMMODITY_CATALOGUE.map((commodity) => [commodity.slug, commodity]))

/** Null for an unknown symbol. */
export function commodityBySymbol(symbol: string): Commodity | null {
  return BY_SYMBOL.get(symbol) ?? null
}

/** The commodity of an asset of the master, or null. */
export function commodityBySlug(slug: string): Commodity | null {
  return BY_SLUG.get(slug) ?? null
}
