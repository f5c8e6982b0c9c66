import type { MacroObservation } from '../../../domains/macro/model.js'
import type { CsvRecord } from '../../bodies/csv/csv.js'
import { type ParseContext, type Parsed, quoted } from '../../feed.js'
import type { BisFlow } from './flows.js'
import { type Header, type PeriodColumn, periodColumns } from './header.js'
import { Observations } from './observations.js'
import { readUnitMultOrNull } from './read-value.js'
import { type BodySeries, createSeries } from './series-facts.js'

/** Reads a body with a row per series and a column per period, which is a bulk file with whole series. */
export function wideRows(
  header: Header,
  flow: BisFlow,
  context: ParseContext,
): (record: CsvRecord) => Generator<Parsed<MacroObservation>> {
  const periods = periodColumns(header)
  const observations = new Observations(flow, true, context)
  return (record) => readRow(record, { header, flow, periods, observations, onAbsent: context.onAbsent })
}

interface WideTable {
  readonly header: Header
  readonly flow: BisFlow
  readonly periods: readonly PeriodColumn[]
  readonly observations: Observations
  readonly onAbsent: ParseContext['onAbsent']
}

function* readRow(record: CsvRecord, table: WideTable): Generator<Parsed<MacroObservation>> {
  const { line, cells } = record
  const { periods, observations, onAbsent } = table
  const series = readSeries(cells, table)
  if (typeof series === 'string') {
    onAbsent(periods.length - 1)
    yield { kind: 'rejected', position: `line ${line}`, reason: series }
    return
  }
  for (const { at, text: period } of periods) {
    const text = cells[at] ?? ''
    if (text === '') {
      onAbsent()
      continue
    }
    const position = `line ${line}, ${period}`
    const read = observations.read(series, { position, period, text, status: null })
    if (read !== null) yield read
  }
}

/** The series of a row; null if it is not served, a text if the row cannot be read. */
function readSeries(cells: readonly string[], { header, flow }: WideTable): BodySeries | null | string {
  const { columns } = header
  if (cells.length !== header.cells.length) {
    return `has ${cells.length} cells, but the header has ${header.cells.length}`
  }
  const cell = (name: string) => cells[columns.get(name) ?? -1] ?? ''
  const key = flow.dimensions.map(cell).join(':')
  if (key !== cell('Series'))
    return `the series ${quoted(cell('Series'))} does not match the columns of its row`
  const unitMult = readUnitMultOrNull(cell('UNIT_MULT'))
  if ('wrong' in unitMult) return unitMult.wrong
  const attributes = { unitMeasure: cell('UNIT_MEASURE') || null, unitMult: unitMult.value }
  const title = cell('TITLE_TS') || labelsOf(cells, header, flow)
  return createSeries(flow, cell, { attributes, title })
}

/** The labels of the dimensions without the frequency; each follows its code. */
function labelsOf(cells: readonly string[], { columns }: Header, { dimensions }: BisFlow): string | null {
  const labels = dimensions.slice(1).map((name) => cells[(columns.get(name) ?? -2) + 1] ?? '')
  return labels.includes('') ? null : labels.join(' - ')
}
