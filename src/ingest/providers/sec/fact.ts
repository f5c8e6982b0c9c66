import { type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { FiledFact } from '../../../domains/filings/model.js'
import type { Read } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { quoted } from '../../feed.js'

/** The cells of one fact by name. */
export type FactText = ReadonlyMap<string, unknown>

/** The content of a fact; the lists around it state its company and tag. */
export type FactCells = Omit<FiledFact, 'cik' | 'taxonomy' | 'tag' | 'unit'>

/** The number of a filing. */
export const ACCESSION = /^\d{10}-\d{2}-\d{6}$/

/** Digits before the decimal point that the column certainly holds. */
const MAX_INTEGER_DIGITS = 30

/** Parses a fact of companyfacts, or returns what is wrong with it. */
export function readFact(cells: FactText, now: Date): Read<FactCells> {
  const start = cells.get('start') ?? null
  const periodStart = start === null ? null : dateOf(start)
  const periodEnd = dateOf(cells.get('end'))
  const filed = dateOf(cells.get('filed'))
  const accession = cells.get('accn')
  const form = cells.get('form')
  const value = readValue(cells.get('val'))
  if (start !== null && periodStart === null) return wrong('start', start)
  if (periodEnd === null) return wrong('end', cells.get('end'))
  if (filed === null) return wrong('filed', cells.get('filed'))
  if (typeof accession !== 'string' || !ACCESSION.test(accession)) return wrong('accn', accession)
  if (typeof form !== 'string') return wrong('form', form)
  if ('wrong' in value) return value
  if (periodStart !== null && periodStart > periodEnd) return { wrong: 'the period ends before it starts' }
  if (filed < periodEnd) return { wrong: `it was filed on ${filed}, before the period ended` }
  if (filed > toIsoDate(now)) return { wrong: `it was filed on ${filed}, which is in the future` }
  return { value: { periodStart, periodEnd, accession, form, filed, value: value.value } }
}

function readValue(cell: unknown): Read<FiledFact['value']> {
  if (typeof cell !== 'number') return wrong('val', cell)
  const read = readDecimal(String(cell))
  if ('value' in read && Math.abs(cell) >= 10 ** MAX_INTEGER_DIGITS) return wrong('val', cell)
  return read
}

function dateOf(cell: unknown): IsoDate | null {
  return typeof cell === 'string' ? parseIsoDate(cell) : null
}

function wrong(name: string, cell: unknown): { readonly wrong: string } {
  return { wrong: cell === undefined ? `${name} is missing` : `${name} is ${quoted(String(cell))}` }
}
