import type { DecimalText } from '../../core/decimal.js'
import { type IsoDate, parseIsoDate } from '../../core/time.js'
import { quoted } from '../feed.js'
import type { Read } from './read.js'
import { readDecimal } from './read-decimal.js'

/** The separators of numbers: `1,234.5` or `1.234,5`. */
export type DecimalMark = 'point' | 'comma'

const WITH_POINT = /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/
const WITH_COMMA = /^[+-]?(?:\d+|\d{1,3}(?:[. ’']\d{3})+)(?:,\d+)?$/

/** Parses a decimal with thousands separators, times 10^exponent. */
export function readLocalDecimal(text: string, mark: DecimalMark, exponent = 0): Read<DecimalText> {
  const plain = text.replace(/[\u00a0\u202f]/g, ' ').trim()
  const isWellFormed = (mark === 'point' ? WITH_POINT : WITH_COMMA).test(plain)
  if (!isWellFormed) return { wrong: `the value ${quoted(text)} is not a number` }
  const digits = mark === 'point' ? plain.replace(/,/g, '') : plain.replace(/[. ’']/g, '').replace(',', '.')
  return readDecimal(digits, exponent)
}

/** The first letters of months, in English, German and French. */
const MONTHS: readonly RegExp[] = [
  /^jan/,
  /^(feb|fev)/,
  /^(mar|maer|mrz)/,
  /^(apr|avr)/,
  /^(may|mai)/,
  /^(jun|juin)/,
  /^(jul|juil)/,
  /^(aug|aou)/,
  /^sep/,
  /^(oct|okt)/,
  /^nov/,
  /^(dec|dez)/,
]

/**
 * Parses a day as issuers write it: `Dec 06, 2024`, `06/Dec/2024`, `06.Dez.2024`, `06.12.2024`, `2024-12-06`. Null
 * for other text.
 */
export function readLocalDay(text: string): IsoDate | null {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
  const iso = parseIsoDate(plain)
  if (iso !== null) return iso
  const american = /^([a-z]{3,9})\.? (\d{1,2}), ?(\d{4})$/.exec(plain)
  if (american !== null) return dayOf(american[3], monthOf(american[1]), american[2])
  const european = /^(\d{1,2})[ ./-]+([a-z]{3,9}|\d{1,2})[ ./-]+(\d{4})$/.exec(plain)
  // Without a month name, slashes leave the order of day and month open.
  if (european === null || /^\d+\/\d+\//.test(plain)) return null
  return dayOf(european[3], monthOf(european[2]), european[1])
}

function monthOf(text = ''): number {
  return /^\d/.test(text) ? Number(text) : MONTHS.findIndex((month) => month.test(text)) + 1
}

function dayOf(year = '', month: number, day = ''): IsoDate | null {
  return parseIsoDate(`${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`)
}

const MAX_NAME_LENGTH = 200

/** Cleans a name: one printable line of at most 200 characters. */
export function toPrintableName(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
}
