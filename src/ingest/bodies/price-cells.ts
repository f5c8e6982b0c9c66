import { type DecimalText, decimal } from '../../core/decimal.js'
import { type IsoDate, parseIsoDate, toIsoDate } from '../../core/time.js'
import type { DailyPrice } from '../../domains/prices/model.js'
import { quoted } from '../feed.js'
import type { Read } from './read.js'
import { readDecimal } from './read-decimal.js'

/** The range of the columns: 12 digits before the decimal point and 8 after it. */
const MAX_PRICE = 1e12
const MAX_DECIMALS = 8

/** A trading day, which is not in the future. */
export function readPriceDay(cell: string, now: Date): Read<IsoDate> {
  const date = parseIsoDate(cell)
  if (date === null) return { wrong: `date ${quoted(cell)} must be a day, YYYY-MM-DD` }
  return date > toIsoDate(now) ? { wrong: `date ${date} is in the future` } : { value: date }
}

/** A price of one share, above zero. */
export function readSharePrice(name: string, cell: string): Read<DecimalText> {
  const read = readDecimal(cell)
  if ('wrong' in read) return { wrong: `${name} ${quoted(cell)} must be a decimal above zero` }
  const price = decimal(read.value)
  if (price.gt(0) && price.lt(MAX_PRICE) && price.decimalPlaces() <= MAX_DECIMALS) return read
  return {
    wrong: `${name} ${quoted(cell)} must be above zero and below 10^12, with at most ${MAX_DECIMALS} decimals`,
  }
}

/** A number of shares. */
export function readShareVolume(name: string, cell: string): Read<DecimalText> {
  const wrong = `${name} ${quoted(cell)} must be a whole number of shares, 0 or more`
  const read = readDecimal(cell)
  if ('wrong' in read) return { wrong }
  const volume = decimal(read.value)
  return volume.isInteger() && volume.gte(0) && volume.lte(Number.MAX_SAFE_INTEGER) ? read : { wrong }
}

/** The prices of a day, of which none is below the low or above the high. */
export function readConsistentPrice(price: DailyPrice): Read<DailyPrice> {
  const { high, low } = price
  const faults = (['open', 'low', 'close', 'high'] as const).flatMap((name) => {
    const value = price[name]
    if (value === null) return []
    if (high !== null && name !== 'high' && decimal(value).gt(high))
      return `${name} ${value} is above high ${high}`
    if (low !== null && name !== 'low' && name !== 'high' && decimal(value).lt(low))
      return `${name} ${value} is below low ${low}`
    return []
  })
  return faults.length > 0 ? { wrong: faults.join('; ') } : { value: price }
}
