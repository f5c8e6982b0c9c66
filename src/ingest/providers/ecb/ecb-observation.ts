import { type Frequency, periodText } from '../../../core/period.js'
import { addDays, type IsoDate, parsePeriod, toIsoDate } from '../../../core/time.js'
import type { MacroObservation, MacroSeries } from '../../../domains/macro/model.js'
import { joinNotes } from '../../bodies/macro/observation-note.js'
import { type Read, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { quoted } from '../../feed.js'
import { ECB_SERIES } from './series-list.js'

/** The text of a row in a column; empty if the answer has no such column. */
export type EcbCell = (column: string) => string

/** The first part of a key after its flow. Business days and days of the calendar are both days. */
const FREQUENCIES: Readonly<Record<string, Frequency | undefined>> = {
  A: 'annual',
  Q: 'quarterly',
  M: 'monthly',
  B: 'daily',
  D: 'daily',
}

/** The flow of the key interest rates, in which announced changes stand before they apply. */
const ANNOUNCING_FLOW = 'FM'

/** Changes of key interest rates are announced days ahead. */
const ANNOUNCED_DAYS = 366

/** Series by key, so that all rows of a series share one object. */
export type SeriesOfBody = Map<string, MacroSeries>

/** Reads a row by the names of its columns; null for a day without a value. */
export function readEcbObservation(
  cell: EcbCell,
  { series, now }: { readonly series: SeriesOfBody; readonly now: Date },
): Read<MacroObservation | null> {
  return readOn(readSeries(cell, series), (found) =>
    readOn(readPeriod(cell('TIME_PERIOD'), found, now), (periodStart): Read<MacroObservation | null> => {
      const text = cell('OBS_VALUE')
      const observation = { series: found, periodStart, note: noteOf(cell), isOfWholeSeries: false }
      if (text !== '' && text !== 'NaN') {
        return readOn(readDecimal(text), (value) => ({ value: { ...observation, value } }))
      }
      // Days without a value are holidays.
      return { value: found.frequency === 'daily' ? null : { ...observation, value: null } }
    }),
  )
}

/** The statuses that say that a value may change (SDMX code list CL_OBS_STATUS). */
const STATUSES: Readonly<Record<string, string | undefined>> = {
  E: 'E: estimated',
  F: 'F: forecast',
  P: 'P: provisional',
}

/** The status of a value and the comment of the ECB; null for an ordinary value, and for an answer without attributes. */
function noteOf(cell: EcbCell): string | null {
  const comment = cell('OBS_COM') || cell('COMMENT_OBS')
  const notes = [STATUSES[cell('OBS_STATUS')] ?? '', comment].filter((text) => text !== '')
  return joinNotes(notes)
}

const KEY = /^([A-Z0-9_]{1,20})\.([A-Z])(\.[A-Za-z0-9_]{1,40}){1,20}$/

function readSeries(cell: EcbCell, known: SeriesOfBody): Read<MacroSeries> {
  const key = cell('KEY')
  const found = known.get(key)
  if (found !== undefined) return { value: found }
  const [, dataset = '', code = ''] = KEY.exec(key) ?? []
  const frequency = FREQUENCIES[code]
  if (dataset === '') return { wrong: `KEY ${quoted(key)} is not the key of a series` }
  if (frequency === undefined) return { wrong: `the frequency ${quoted(code)} is not served` }
  const seriesKey = key.slice(dataset.length + 1)
  const listed = ECB_SERIES.find((one) => one.dataset === dataset && one.seriesKey === seriesKey)
  const series = listed ?? {
    ...{ provider: 'ecb', dataset, seriesKey, country: cell('REF_AREA') || null, frequency },
    unit: unitOf(cell),
    description: cell('TITLE_COMPL') || cell('TITLE') || null,
    isHeadline: true,
  }
  known.set(key, series)
  return { value: series }
}

/** The code of the unit with the power of ten of the figures; null for an answer without attributes. */
function unitOf(cell: EcbCell): string | null {
  const unit = cell('UNIT') || cell('UNIT_MEASURE')
  const power = cell('UNIT_MULT')
  if (unit === '') return null
  return power === '' || power === '0' ? unit : `${unit}, 10^${power}`
}

function readPeriod(text: string, { dataset, frequency }: MacroSeries, now: Date): Read<IsoDate> {
  const period = parsePeriod(text)
  if (period === null || period.frequency !== frequency) {
    return { wrong: `TIME_PERIOD ${quoted(text)} is not a period of a series that is ${frequency}` }
  }
  const ahead = dataset === ANNOUNCING_FLOW ? ANNOUNCED_DAYS : 1
  return period.start > addDays(toIsoDate(now), ahead)
    ? { wrong: `${periodText(period)} has not begun yet` }
    : { value: period.start }
}
