import { notFound } from '../../../core/errors.js'
import { isObject } from '../../../core/is-object.js'

type Row = Readonly<Record<string, unknown>>

/** The members of a row that a chart draws. */
interface ChartView {
  readonly x: string
  readonly y: string
}

/** Operations that are charts. */
export const CHARTS: ReadonlyMap<string, ChartView> = new Map([
  ['ohlcv', { x: 'ts', y: 'vwap_usd' }],
  ['exchange_candles', { x: 'ts', y: 'close' }],
  ['forex', { x: 'date', y: 'rate' }],
  ['stock_prices', { x: 'date', y: 'close' }],
  ['etf_prices', { x: 'date', y: 'close' }],
  ['commodity_prices', { x: 'price_date', y: 'price_usd' }],
  ['macro_series', { x: 'period_start', y: 'value' }],
])

/** Operations with a figure of their last row, by label. */
export const METRICS: ReadonlyMap<string, { readonly label: string; readonly member: string }> = new Map([
  ['asset', { label: 'Price, USD', member: 'price_consensus_usd' }],
  ['forex', { label: 'Rate', member: 'rate' }],
  ['stock_prices', { label: 'Close', member: 'close' }],
])

/** The rows of an answer: its list, else the last list in its data, else the data as one row. */
function rowsOf(answer: unknown): readonly Row[] {
  const own = isObject(answer) ? answer : {}
  const data =
    own.data ?? own.items ?? Object.fromEntries(Object.entries(own).filter(([name]) => !METADATA.has(name)))
  if (Array.isArray(data)) return data.map(toRow)
  const list = isObject(data) ? Object.values(data).findLast(isListOfRows) : undefined
  return list === undefined ? [toRow(data)] : list.map(toRow)
}

const METADATA: ReadonlySet<string> = new Set(['_meta', 'meta'])

function isListOfRows(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.some(isObject)
}

function toRow(value: unknown): Row {
  return isObject(value) ? value : { value }
}

/** Objects in a row become columns with joined names; lists become texts. */
export function toTable(answer: unknown): readonly Row[] {
  return rowsOf(answer).map((row) => Object.fromEntries(flatten(row, '')))
}

function flatten(row: Row, prefix: string): readonly (readonly [string, unknown])[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const column = `${prefix}${name}`
    if (Array.isArray(value))
      return [[column, value.some(isObject) ? JSON.stringify(value) : value.join(', ')] as const]
    return isObject(value) ? flatten(value, `${column}_`) : [[column, value] as const]
  })
}

/** A line in the form of Plotly. Values that are missing leave a gap. */
export function toChart(operation: string, answer: unknown): object {
  const view = CHARTS.get(operation)
  if (view === undefined)
    throw notFound(`No chart of ${operation.slice(0, 64)}. /widgets.json lists the charts.`)
  const rows = rowsOf(answer).toSorted((a, b) => String(a[view.x]).localeCompare(String(b[view.x])))
  const [x, y] = [view.x, view.y].map((member) => rows.map((row) => row[member] ?? null))
  return {
    data: [{ type: 'scatter', mode: 'lines', name: view.y, x, y }],
    layout: { xaxis: { type: 'date' }, yaxis: { title: { text: view.y } }, margin: { t: 20 } },
  }
}

/** The newest figure. */
export function toMetric(operation: string, answer: unknown): object {
  const metric = METRICS.get(operation)
  if (metric === undefined)
    throw notFound(`No metric of ${operation.slice(0, 64)}. /widgets.json lists the metrics.`)
  const value = rowsOf(answer).at(-1)?.[metric.member] ?? null
  if (value === null) throw notFound(`${operation} has no ${metric.member}.`)
  return { label: metric.label, value: String(value) }
}
