import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import { type Decimal, decimal } from '../../../core/decimal.js'
import { type Json, shown } from '../../bodies/json/json-body.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { quoted } from '../../feed.js'

export type Prices = Pick<VenueBar, 'open' | 'high' | 'low' | 'close'>

/** The cells of the four prices of a bar. */
export type PriceCells = { readonly [name in keyof Prices]: Json | undefined }

/** Parses a non-negative decimal, with or without an exponent. */
export function readVolume(cell: Json | undefined, name: string): Read<Decimal> {
  if (typeof cell !== 'string' || !/^[-+]?[\d.]+(?:[eE][-+]?\d+)?$/.test(cell)) {
    return { wrong: `${name} is ${shown(cell)}, not a number` }
  }
  try {
    const value = decimal(cell)
    return value.isNegative() && !value.isZero()
      ? { wrong: `${name} ${quoted(cell)} is negative` }
      : { value }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { wrong: `${name} ${error.message}` }
  }
}

export function readPrice(cell: Json | undefined, name: string): Read<Decimal> {
  return readOn(readVolume(cell, name), (value) =>
    value.isZero() ? { wrong: `${name} is zero, but a price is above zero` } : { value },
  )
}

/** Parses four prices of one bar: low and high enclose the others. */
export function readPrices(cells: PriceCells): Read<Prices> {
  const prices = readAll({
    open: readPrice(cells.open, 'open'),
    high: readPrice(cells.high, 'high'),
    low: readPrice(cells.low, 'low'),
    close: readPrice(cells.close, 'close'),
  })
  return readOn(prices, (value) => {
    const wrong = wrongOrder(value)
    return wrong === null ? { value } : { wrong }
  })
}

function wrongOrder({ open, high, low, close }: Prices): string | null {
  if (high.lessThan(low)) return `high ${high} is below low ${low}`
  if (isOutside(open, low, high)) return `open ${open} is outside low ${low} and high ${high}`
  return isOutside(close, low, high) ? `close ${close} is outside low ${low} and high ${high}` : null
}

function isOutside(price: Decimal, low: Decimal, high: Decimal): boolean {
  return price.lessThan(low) || price.greaterThan(high)
}
