import { readSeriesList } from '../../bodies/macro/series-list.js'
import table from './series.json' with { type: 'json' }

/** The series that the feeds request, as many as one request without a key may name; others can come from a file. */
export const BLS_SERIES = readSeriesList('bls', table)
