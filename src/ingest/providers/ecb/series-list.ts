import { readSeriesList } from '../../bodies/macro/series-list.js'
import table from './series.json' with { type: 'json' }

/** The series that the feeds request from the ECB; other series of its flows can come from a file. */
export const ECB_SERIES = readSeriesList('ecb', table)
