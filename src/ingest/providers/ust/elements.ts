import type { TrackedSeries } from '../../bodies/macro/series-list.js'
import { UST_SERIES } from './series-list.js'

const BILL_TERMS: Readonly<Record<string, string>> = { CLOSE: 'DISCOUNT', YIELD: 'COUPON' }

/** Elements of an entry that name its day, by the curve: NEW_DATE for par and real yields, INDEX_DATE for bills. */
export const DAY_ELEMENTS: ReadonlySet<string> = new Set(['NEW_DATE', 'INDEX_DATE'])

/**
 * Elements without a served rate. BC_30YEARDISPLAY was always 0 until 2010. The averages of a week (CS_…) repeat rates, and
 * the bill of a tenor (MATURITY_DATE_…, CUSIP_…) changes within a month.
 */
const NOT_SERVED =
  /^(?:Id|Daily\w{1,40}Id|BC_30YEARDISPLAY|BOND_MKT_UNAVAIL_REASON|QUOTE_DATE|CF_NEW_DATE|CF_WEEK|CS_\d{1,2}WK_(?:CLOSE|YIELD)_AVG|(?:MATURITY_DATE|CUSIP)_\d{1,2}WK)$/

/** True for an element that never has a served rate. */
export function isNotServed(element: string): boolean {
  return NOT_SERVED.test(element)
}

/**
 * The series of an element such as BC_10YEAR, TC_10YEAR or ROUND_B1_YIELD_4WK_2; undefined for an unknown one. The names of
 * real yields (TC_…) are from code that reads them: no recorded answer of that curve was at hand.
 */
export function seriesOfElement(element: string): TrackedSeries | undefined {
  const [, curve, length, unit = ''] = /^([BT]C)_(\d{1,2}(?:_5)?)(MONTH|YEAR)$/.exec(element) ?? []
  if (curve !== undefined) {
    return seriesOf(curve === 'BC' ? 'PAR' : 'REAL', `${length}${unit === 'YEAR' ? 'Y' : 'MO'}`)
  }
  const [, term = '', weeks] = /^ROUND_B1_(CLOSE|YIELD)_(\d{1,2})WK_2$/.exec(element) ?? []
  return seriesOf('BILL', `${weeks}WK_${BILL_TERMS[term]}`)
}

function seriesOf(dataset: string, seriesKey: string): TrackedSeries | undefined {
  return UST_SERIES.find((series) => series.dataset === dataset && series.seriesKey === seriesKey)
}
