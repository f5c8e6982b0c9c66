import type { DecimalText } from '../../../core/decimal.js'
import type { IsoDate } from '../../../core/time.js'
import type { MacroSeries } from '../../../domains/macro/model.js'
import type { Read } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { quoted } from '../../feed.js'
import type { BokRow } from './answer.js'
import { readTime } from './cycles.js'
import { BOK_SERIES, BOK_UNITS, toSeriesKey } from './series-list.js'

/** A parsed row. */
export interface BokObservation {
  readonly series: MacroSeries
  readonly start: IsoDate
  readonly value: DecimalText | null
}

/** A table has up to four dimensions. */
const DIMENSIONS = ['1', '2', '3', '4'] as const

const TABLE = /^[0-9A-Z]{3,12}$/
const ITEM = /^[0-9A-Za-z*.-]{1,24}$/

/** Several times the longest name of a table. */
const MAX_TEXT_LENGTH = 500

/** Parses one row; `today` is the day in Seoul. */
export function readRow(row: BokRow, today: string): Read<BokObservation> {
  if (row.wrong !== null) return { wrong: row.wrong }
  const table = row.cell('STAT_CODE') ?? ''
  if (!TABLE.test(table)) return { wrong: `STAT_CODE ${quoted(table)} is not a table` }
  const items = DIMENSIONS.flatMap((number) => row.cell(`ITEM_CODE${number}`) ?? [])
  const wrongItem = items.find((item) => !ITEM.test(item))
  if (wrongItem !== undefined || items.length === 0) {
    return { wrong: `ITEM_CODE ${quoted(wrongItem ?? '')} is not an item` }
  }
  const time = row.cell('TIME') ?? ''
  const period = readTime(time)
  if (period === null) return { wrong: `TIME ${quoted(time)} is not a period` }
  const value = readValue(row.cell('DATA_VALUE'))
  if ('wrong' in value) return value
  if (period.start > today) return { wrong: `${time} has not begun yet` }
  const { cycle, frequency, start } = period
  const key = toSeriesKey(items, cycle)
  const listed = BOK_SERIES.find(({ dataset, seriesKey }) => dataset === table && seriesKey === key)
  const series: MacroSeries = {
    provider: 'bok',
    dataset: table,
    seriesKey: key,
    country: 'KR',
    unit: listed?.unit ?? unitOf(row.cell('UNIT_NAME')),
    frequency,
    description: listed?.description ?? titleOf(row),
    isHeadline: true,
  }
  return { value: { series, start, value: value.value } }
}

/**
 * A number as text, sometimes with commas between thousands. An empty text or a dash means that it is not
 * published.
 */
function readValue(text: string | null): Read<DecimalText | null> {
  if (text === null || text === '-') return { value: null }
  return readDecimal(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text)
}

function unitOf(name: string | null): string | null {
  return name === null ? null : (BOK_UNITS[name] ?? name.slice(0, MAX_TEXT_LENGTH))
}

function titleOf(row: BokRow): string | null {
  const names = ['STAT_NAME', ...DIMENSIONS.map((number) => `ITEM_NAME${number}`)]
  const title = names.flatMap((name) => row.cell(name) ?? []).join(' - ')
  return title === '' ? null : title.slice(0, MAX_TEXT_LENGTH)
}
