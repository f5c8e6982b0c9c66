import type { Commodity, CommodityUnit } from './model.js'

type Row = readonly [symbol: string, name: string, unit: CommodityUnit, slug?: string]

const TON = 'metric ton'
const GAS = 'million British thermal units'

// The first rows are in the instrument master and have its tickers. The others have the codes of the IMF.
const ROWS: readonly Row[] = [
  ['XAU', 'Gold', 'troy ounce', 'gold'],
  ['XAG', 'Silver', 'troy ounce', 'silver'],
  ['XPT', 'Platinum', 'troy ounce', 'platinum'],
  ['XPD', 'Palladium', 'troy ounce', 'palladium'],
  ['CL', 'Crude oil, West Texas Intermediate', 'barrel', 'wti'],
  ['BRN', 'Crude oil, Brent', 'barrel', 'brent'],
  ['NG', 'Natural gas, Henry Hub', GAS, 'natural-gas'],
  ['HG', 'Copper, grade A cathode', TON, 'copper'],
  ['PALUM', 'Aluminium', TON],
  ['PBANSOP', 'Bananas', TON],
  ['PBARL', 'Barley', TON],
  ['PBEEF', 'Beef', 'pound'],
  ['PCOALAU', 'Coal, Australian thermal', TON],
  ['PCOCO', 'Cocoa beans', TON],
  ['PCOFFOTM', 'Coffee, other mild Arabicas', 'pound'],
  ['PCOFFROB', 'Coffee, Robusta', 'pound'],
  ['PCOTTIND', 'Cotton', 'pound'],
  ['PFISH', 'Fishmeal', TON],
  ['PGNUTS', 'Groundnuts', TON],
  ['PHIDE', 'Hides', 'pound'],
  ['PIORECR', 'Iron ore, 62% Fe, China import', TON],
  ['PLAMB', 'Lamb', 'pound'],
  ['PLEAD', 'Lead', TON],
  ['PLOGORE', 'Logs, soft', 'cubic meter'],
  ['PLOGSK', 'Logs, hard', 'cubic meter'],
  ['PMAIZMT', 'Maize', TON],
  ['PNGASEU', 'Natural gas, Russian, border price in Germany', GAS],
  ['PNGASJP', 'Liquefied natural gas, Indonesian, in Japan', GAS],
  ['PNICK', 'Nickel', TON],
  ['POILAPSP', 'Crude oil, average of Brent, WTI and Dubai', 'barrel'],
  ['POILDUB', 'Crude oil, Dubai', 'barrel'],
  ['POLVOIL', 'Olive oil', TON],
  ['PORANG', 'Oranges', TON],
  ['PPOIL', 'Palm oil', TON],
  ['PPORK', 'Pork', 'pound'],
  ['PPOULT', 'Poultry', 'pound'],
  ['PRICENPQ', 'Rice', TON],
  ['PROIL', 'Rapeseed oil', TON],
  ['PRUBB', 'Rubber', 'pound'],
  ['PSALM', 'Salmon', 'kilogram'],
  ['PSAWMAL', 'Sawnwood, hard', 'cubic meter'],
  ['PSAWORE', 'Sawnwood, soft', 'cubic meter'],
  ['PSHRI', 'Shrimp', 'kilogram'],
  ['PSMEA', 'Soybean meal', TON],
  ['PSOIL', 'Soybean oil', TON],
  ['PSOYB', 'Soybeans', TON],
  ['PSUGAEEC', 'Sugar, European import price', 'pound'],
  ['PSUGAISA', 'Sugar, free market', 'pound'],
  ['PSUGAUSA', 'Sugar, US import price', 'pound'],
  ['PSUNO', 'Sunflower oil', TON],
  ['PTEA', 'Tea', 'kilogram'],
  ['PTIN', 'Tin', TON],
  ['PURAN', 'Uranium', 'pound'],
  ['PWHEAMT', 'Wheat', TON],
  ['PWOOLC', 'Wool, coarse', 'kilogram'],
  ['PWOOLF', 'Wool, fine', 'kilogram'],
  ['PZINC', 'Zinc', TON],
]

/** Every commodity whose prices can be stored, in the order of the list. */
export const COMMODITY_CATALOGUE: readonly Commodity[] = ROWS.map(([symbol, name, unit, slug = null]) => ({
  symbol,
  name,
  unit,
  slug,
}))

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
