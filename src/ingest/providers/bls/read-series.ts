import { type Frequency, periodText } from '../../../core/period.js'
import { type IsoDate, parsePeriod, toIsoDate } from '../../../core/time.js'
import type { MacroObservation, MacroSeries } from '../../../domains/macro/model.js'
import { isJsonObject, isList, type Json, type JsonObject, shown } from '../../bodies/json/json-body.js'
import { joinNotes } from '../../bodies/macro/observation-note.js'
import type { PlacedObservation } from '../../bodies/macro/observed-once.js'
import { type Read, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import type { ParseContext } from '../../feed.js'
import { textMember } from './answer.js'
import { BLS_SERIES } from './series-list.js'

const SERIES_ID = /^[A-Z]{2}[A-Z0-9_#-]{1,38}$/

/** A value that the Bureau did not collect or does not publish. */
const MISSING = '-'

/** Reads the observations of one series, or rejects it. */
export function* readBlsSeries(
  item: Json,
  position: string,
  context: ParseContext,
): Generator<PlacedObservation> {
  const rejected = (reason: string) => ({ kind: 'rejected', position, reason }) as const
  if (!isJsonObject(item)) return yield rejected(`is ${shown(item)}, not an object`)
  const id = item.get('seriesID')
  const data = item.get('data')
  if (typeof id !== 'string' || !SERIES_ID.test(id))
    return yield rejected(`seriesID is ${shown(id)}, not an id`)
  if (!isList(data)) return yield rejected(`data is ${shown(data)}, not a list`)
  const describe = describedSeries(id, item)
  for (const [at, cell] of data.entries()) {
    const place = `${position}, value ${at + 1}`
    const read = isJsonObject(cell) ? readObservation(cell, describe, context.now) : notObject(cell)
    if ('wrong' in read) yield { kind: 'rejected', position: place, reason: read.wrong }
    else if (read.value === null) context.onAbsent()
    else yield { kind: 'row', row: read.value, position: place }
  }
}

function notObject(cell: Json): Read<never> {
  return { wrong: `is ${shown(cell)}, not an object` }
}

/** The description of a series. Its frequency follows from its periods if no feed requests it. */
function describedSeries(id: string, item: JsonObject): (frequency: Frequency) => MacroSeries {
  const listed = BLS_SERIES.find(({ seriesKey }) => seriesKey === id)
  if (listed !== undefined) return () => listed
  const catalog = item.get('catalog')
  const description = isJsonObject(catalog) ? textMember(catalog, 'series_title') : null
  let series: MacroSeries | null = null
  return (frequency) => {
    series ??= {
      ...{ provider: 'bls', dataset: id.slice(0, 2), seriesKey: id, country: 'US', unit: null },
      ...{ frequency, description, isHeadline: true },
    }
    return series
  }
}

function readObservation(
  cell: JsonObject,
  describe: (frequency: Frequency) => MacroSeries,
  now: Date,
): Read<MacroObservation | null> {
  return readOn(readBlsPeriod(cell), (period): Read<MacroObservation | null> => {
    if (period === null) return { value: null }
    const { frequency, start } = period
    const series = describe(frequency)
    if (series.frequency !== frequency) {
      return { wrong: `${periodText(period)} is not a period of a series that is ${series.frequency}` }
    }
    if (start > toIsoDate(now)) return { wrong: `${periodText(period)} has not begun yet` }
    const value = cell.get('value')
    if (typeof value !== 'string') return { wrong: `the value is ${shown(value)}, not a text` }
    const read = value.trim() === MISSING ? { value: null } : readDecimal(value)
    return readOn(readNote(cell.get('footnotes')), (note) =>
      readOn<MacroObservation['value'], MacroObservation>(read, (number) => ({
        value: { series, periodStart: start, value: number, note, isOfWholeSeries: false },
      })),
    )
  })
}

interface BlsPeriod {
  readonly frequency: Frequency
  readonly start: IsoDate
}

/** The period of a value; null for an average over other periods: of a year (M13, Q05, S03). */
function readBlsPeriod(cell: JsonObject): Read<BlsPeriod | null> {
  const [year, code] = [textMember(cell, 'year'), textMember(cell, 'period')]
  const wrong = { wrong: `${shown(cell.get('year'))} and ${shown(cell.get('period'))} are no period` }
  if (year === null || code === null || !/^\d{4}$/.test(year)) return wrong
  if (code === 'M13' || code === 'Q05' || code === 'S03') return { value: null }
  const [, kind = '', number = ''] = /^([AMQS])(\d{2})$/.exec(code) ?? []
  if (kind === 'S') return halfOf(year, number) ?? wrong
  const text = { A: number === '01' ? year : '', M: `${year}-${number}`, Q: `${year}-Q${Number(number)}` }[
    kind
  ]
  const period = text === undefined ? null : parsePeriod(text)
  return period === null ? wrong : { value: period }
}

function halfOf(year: string, number: string): Read<BlsPeriod> | null {
  const start =
    number === '01' || number === '02' ? parsePeriod(`${year}-${number === '01' ? '01' : '07'}`)?.start : null
  return start == null ? null : { value: { frequency: 'semi_annual', start } }
}

/** The codes and texts of the footnotes, such as `P: preliminary`; null without any. */
function readNote(footnotes: Json | undefined): Read<string | null> {
  if (footnotes === undefined) return { value: null }
  if (!isList(footnotes)) return { wrong: `footnotes is ${shown(footnotes)}, not a list` }
  const notes = footnotes.flatMap((note) => {
    if (!isJsonObject(note)) return []
    const parts = [textMember(note, 'code'), textMember(note, 'text')].filter((part) => part !== null)
    return parts.length === 0 ? [] : [parts.join(': ')]
  })
  return { value: joinNotes(notes) }
}
