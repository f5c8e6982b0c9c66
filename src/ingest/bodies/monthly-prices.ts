import { Decimal } from '../../core/decimal.js'
import { type IsoDate, parseIsoDate } from '../../core/time.js'
import type { CommodityPriceRow } from '../../domains/commodities/model.js'
import { type ParseContext, type Parsed, quoted } from '../feed.js'
import type { Read } from './read.js'
import { readDecimal } from './read-decimal.js'
import { SeenPeriods } from './seen-periods.js'

/** The store would round a lower price to zero. */
const LEAST_PRICE_USD = 1e-20

/** A price cell of a table. */
export interface MonthlyCell {
  readonly position: string
  readonly symbol: string
  readonly month: IsoDate
  readonly text: string
  /** The power of ten that converts the figure to USD. */
  readonly exponent: number
}

/** The key of a price: a commodity and a month. */
export function monthText({ symbol, priceDate }: CommodityPriceRow): string {
  return `${symbol} ${priceDate}`
}

/** Turns the cells of one body into prices, at most one per commodity and month. */
export class MonthlyPrices {
  readonly #seen = new SeenPeriods()
  readonly #today: string

  constructor({ now }: ParseContext) {
    this.#today = now.toISOString().slice(0, 10)
  }

  /** Parses the month of a row: `2026-06`, `2026-06-01` or `2026M06`. */
  month(text: string): Read<IsoDate> {
    const [, year, month] = /^(\d{4})(?:-|M)(\d{2})(?:-01)?$/.exec(text) ?? []
    const start = parseIsoDate(`${year}-${month}-01`)
    if (start === null) return { wrong: `${quoted(text)} is not a month` }
    return start > this.#today ? { wrong: `${text} has not begun yet` } : { value: start }
  }

  /** Parses the price of a cell; null if the body already has the same price. */
  read({ position, symbol, month, text, exponent }: MonthlyCell): Parsed<CommodityPriceRow> | null {
    const rejected = (reason: string) => ({ kind: 'rejected', position, reason }) as const
    const read = readDecimal(text, exponent)
    if ('wrong' in read) return rejected(read.wrong)
    const { value } = read
    const price = new Decimal(value)
    if (price.lessThanOrEqualTo(0)) return rejected(`the price ${quoted(text)} is not above zero`)
    if (price.lessThan(LEAST_PRICE_USD))
      return rejected(`the price ${quoted(text)} is below the smallest stored price`)
    const noted = this.#seen.note(symbol, month, value)
    if (noted === 'same') return null
    const row = { symbol, priceDate: month, priceUsd: value }
    if (noted === 'new') return { kind: 'row', row }
    return { ...rejected(noted.wrong), ...(noted.isFirst ? { contradicts: row } : {}) }
  }
}
