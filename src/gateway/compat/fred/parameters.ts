import { ApiError } from '../../../core/errors.js'
import { isCalendarDay } from '../../../core/time.js'

/** A badRequest in the words of FRED, which puts "Bad Request." before them. */
export function badRequest(message: string): ApiError {
  return new ApiError('validation_error', { message })
}

export function requiredText(query: URLSearchParams, name: string): string {
  const text = query.get(name)
  if (!text) throw badRequest(`Variable ${name} is not set.`)
  return text
}

/** One of the values; the first one is the default. */
export function parseChoice<const Choice extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly [Choice, ...Choice[]],
): Choice {
  const text = query.get(name) ?? values[0]
  const value = values.find((known) => known === text)
  if (value !== undefined) return value
  const list = values.map((known) => `'${known}'`).join(', ')
  throw badRequest(`Variable ${name} is not one of the values: ${list}.`)
}

/** Rows of a list, with the attributes that say which ones they are. */
interface FredPage<Row> {
  readonly rows: readonly Row[]
  readonly attributes: Readonly<Record<string, string | number>>
}

/** The order and the page of a list, which is given in rising order. `maxLimit` is also the default. */
export function parsePaging(
  query: URLSearchParams,
  orderBy: string,
  maxLimit: number,
): <Row>(rows: readonly Row[]) => FredPage<Row> {
  const sortOrder = parseChoice(query, 'sort_order', ['asc', 'desc'])
  const limit = parseNumber(query, 'limit', { min: 1, max: maxLimit, default: maxLimit })
  const offset = parseNumber(query, 'offset', { min: 0, max: 1_000_000, default: 0 })
  return (rows) => ({
    rows: (sortOrder === 'asc' ? rows : rows.toReversed()).slice(offset, offset + limit),
    attributes: { order_by: orderBy, sort_order: sortOrder, count: rows.length, offset, limit },
  })
}

function parseNumber(
  query: URLSearchParams,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly default: number },
): number {
  const text = query.get(name)
  if (text === null) return bounds.default
  const number = /^\d{1,7}$/.test(text) ? Number(text) : -1
  if (number < bounds.min || number > bounds.max)
    throw badRequest(`Variable ${name} is not between ${bounds.min} and ${bounds.max}.`)
  return number
}

/** A calendar day, null where the query has none. */
export function parseFredDate(query: URLSearchParams, name: string): string | null {
  const text = query.get(name)
  if (text === null) return null
  if (!isCalendarDay(text)) throw badRequest(`Variable ${name} is not a valid calendar date.`)
  return text
}
