import { z } from 'zod'
import { addDays, DAY_MS, toIsoDate } from '../../../core/time.js'
import type { CommodityPriceRow } from '../../../domains/commodities/model.js'
import { MonthlyPrices } from '../../bodies/monthly-prices.js'
import { BrokenBody, type Feed, jsonOfBody, type ParseContext, type Parsed } from '../../feed.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'

const MONTHS = 60

/** The level of the synthetic prices, USD per unit. */
const LEVELS: readonly (readonly [symbol: string, level: number])[] = [
  ['XAU', 2400],
  ['XAG', 29],
  ['XPT', 980],
  ['XPD', 1010],
  ['CL', 74],
  ['BRN', 79],
  ['NG', 3.1],
  ['HG', 9300],
]

const Prices = z.array(z.strictObject({ symbol: z.string(), month: z.string(), price: z.string() }))

/** Synthetic prices of the commodities of the instrument master. */
export const seedCommodities: Feed<CommodityPriceRow> = {
  id: 'seed-commodities',
  ...SEED_FEED,
  dataset: 'commodities',
  description: `Synthetic monthly prices of ${LEVELS.length} commodities`,
  parse: (body, context) => parsePrices(body, context),
}

/** The prices of the months that have ended at that instant. */
export function seedCommoditiesBody(now: Date): Uint8Array {
  const months = monthsBefore(now)
  const prices = LEVELS.flatMap(([symbol, level]) =>
    months.map((month) => ({ symbol, month, price: priceOf(symbol, level, month) })),
  )
  return new TextEncoder().encode(JSON.stringify(prices))
}

function monthsBefore(now: Date): readonly string[] {
  const months: string[] = []
  let day = toIsoDate(now)
  for (let count = 0; count < MONTHS; count += 1) {
    day = addDays(day, -Number(day.slice(8)))
    months.unshift(day.slice(0, 7))
  }
  return months
}

/** The same symbol and month always have the same price. */
function priceOf(symbol: string, level: number, month: string): string {
  const years = Date.parse(`${month}-01`) / (365.25 * DAY_MS)
  const wave = Math.sin(2 * Math.PI * (years / 4 + noise(`${symbol} phase`)))
  return (level * (1 + 0.15 * wave + 0.06 * (noise(`${symbol} ${month}`) - 0.5))).toFixed(2)
}

function* parsePrices(body: Uint8Array, context: ParseContext): Generator<Parsed<CommodityPriceRow>> {
  const list = Prices.safeParse(jsonOfBody(body, 200))
  if (!list.success) throw new BrokenBody('the body is not a list of prices')
  const prices = new MonthlyPrices(context)
  for (const [at, { symbol, month: text, price }] of list.data.entries()) {
    const month = prices.month(text)
    if ('wrong' in month) throw new BrokenBody(month.wrong)
    const cell = { position: `entry ${at + 1}`, symbol, month: month.value, text: price, exponent: 0 }
    const read = prices.read(cell)
    if (read !== null) yield read
  }
  context.onRead(1)
}
