import { readSeriesList } from '../../bodies/macro/series-list.js'
import table from './series.json' with { type: 'json' }

/** The series that the feed requests, as the Bank of Japan describes them; other series can come from a file. */
export const BOJ_SERIES = readSeriesList('boj', table)
