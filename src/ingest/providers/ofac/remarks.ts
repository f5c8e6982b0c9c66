import type { IsoDate } from '../../../core/time.js'
import { findLeiCodes, joinLeiCodes, type LeiCodes, parseLeiCodes } from '../../../domains/screening/model.js'
import { parseWrittenDay } from '../../bodies/written-day.js'

/**
 * OFAC also uses this label for numbers of the Dutch trade register. Blanks are lost where a text is split in two.
 */
const LEI_LABEL = /Legal\s*Entity\s*Number\s*([A-Za-z0-9]+)/g

const LISTING_DATE = /Listing\s*Date\s*\([^)]*\):\s*(\d{1,2} [A-Za-z]{3} \d{4})/g

export interface Remarks extends LeiCodes {
  /** The latest stated day of listing; null without one. */
  readonly listedOn: IsoDate | null
}

/**
 * Parses the remarks on an entity, where an LEI may also stand under another label; `text` is that of sdn.csv with its
 * continuation in sdn_comments.csv.
 */
export function readRemarks(text: string): Remarks {
  const numbers = [...text.matchAll(LEI_LABEL)].map(([, number = '']) => number)
  const { leis, refused } = joinLeiCodes(parseLeiCodes(numbers), findLeiCodes([text]))
  const days = [...text.matchAll(LISTING_DATE)].flatMap(([, day = '']) => parseWrittenDay(day) ?? [])
  return { leis, refused, listedOn: days.sort().at(-1) ?? null }
}
