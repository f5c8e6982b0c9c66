import { readSeriesList } from '../../bodies/macro/series-list.js'
import table from './series.json' with { type: 'json' }

/** The tenors of the three curves of the US Treasury. Discount and coupon equivalent of a bill are two series. */
export const UST_SERIES = readSeriesList('ust', table)
