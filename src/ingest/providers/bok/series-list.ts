import { readSeriesList } from '../../bodies/macro/series-list.js'
import type { BokCycle } from './cycles.js'
import table from './series.json' with { type: 'json' }

/**
 * The series that the feed requests, with English titles, because ECOS has Korean names; other series can come from a
 * file. The dataset is a table of ECOS.
 */
export const BOK_SERIES = readSeriesList('bok', table)

/** The key of a series within its table: its item, or one for each dimension, and its cycle, e.g. 0000001_D. */
export function toSeriesKey(items: readonly string[], cycle: BokCycle): string {
  return [...items, cycle].join('_')
}

/** UNIT_NAME in English; unknown units stay as they are. */
export const BOK_UNITS: Readonly<Record<string, string>> = {
  원: 'KRW',
  십억원: 'KRW_B',
  '연%': '% per year',
  백만달러: 'USD_M',
  천달러: 'USD_K',
}
