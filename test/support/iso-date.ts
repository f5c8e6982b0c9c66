import { type IsoDate, parseIsoDate } from '../../src/core/time.js'

/** The date of a text; throws an Error for a text that is no date. */
export function date(text: string): IsoDate {
  const parsed = parseIsoDate(text)
  if (parsed === null) throw new Error(`${text} is no date`)
  return parsed
}
