import { BrokenBody, quoted } from '../../feed.js'
import { BIS_FLOWS, type BisFlow, flowByDimensions, flowCode } from './flows.js'

/** A period column of a wide body. */
export interface PeriodColumn {
  readonly at: number
  readonly text: string
}

/** The position of each part of a row. */
export interface Header {
  readonly cells: readonly string[]
  /** Positions of columns by identifier. */
  readonly columns: ReadonlyMap<string, number>
  /** Whether cells are `code: label`. */
  readonly isLabelled: boolean
}

const IDENTIFIER = /^[A-Z][A-Z0-9_]*$/

/** Parses the column names: `FREQ`, `FREQ:Frequency`, or each followed by a column of labels. */
export function readHeader(cells: readonly string[]): Header {
  const columns = new Map<string, number>()
  for (const [at, cell] of cells.entries()) {
    const name = parseSdmxCode(cell)
    if (columns.has(name)) throw new BrokenBody(`the header has the column ${quoted(name)} twice`)
    if (IDENTIFIER.test(name) || name === 'Series') columns.set(name, at)
  }
  if (!columns.has('FREQ')) {
    throw new BrokenBody(
      `the first line is not the header of a BIS table: it begins with ${quoted(cells.slice(0, 3).join())} and has no column FREQ`,
    )
  }
  return { cells, columns, isLabelled: cells.some((cell) => /^[A-Z][A-Z0-9_]*:/.test(cell)) }
}

/** `Q: Quarterly` → `Q`. */
export function parseSdmxCode(cell: string): string {
  const colon = cell.indexOf(':')
  return (colon < 0 ? cell : cell.slice(0, colon)).trim()
}

/** `Q: Quarterly` → `Quarterly`; null without a label. */
export function parseLabel(cell: string): string | null {
  const colon = cell.indexOf(':')
  const label = colon < 0 ? '' : cell.slice(colon + 1).trim()
  return label === '' ? null : label
}

const PERIOD = /^\d{4}(-Q\d|-\d{2}(-\d{2})?)?$/

/** The periods of a wide body, including years that are not kept; null for a body with a row per observation. */
export function periodColumns({ cells }: Header): readonly PeriodColumn[] {
  return cells.flatMap((text, at) => (PERIOD.test(text) ? [{ at, text }] : []))
}

/**
 * The flow of a body with a row per observation: it is named, or the columns before the period are its dimensions.
 */
export function flowOfLongBody({ columns }: Header, first: readonly string[]): BisFlow {
  const named = columns.get('STRUCTURE_ID') ?? columns.get('DATAFLOW')
  if (named === undefined) {
    const names = [...columns.keys()]
    return served(flowByDimensions(names.slice(0, names.indexOf('TIME_PERIOD'))), names.join())
  }
  const text = first[named] ?? ''
  const code = flowCode(text)
  const flow = served(BIS_FLOWS.find(({ dataset }) => dataset.code === code) ?? null, text)
  const missing = flow.dimensions.find((dimension) => !columns.has(dimension))
  if (missing !== undefined)
    throw new BrokenBody(`the table of ${flow.dataset.code} has no column ${missing}`)
  return flow
}

/** The flow of a wide body, from the number of dimensions of its keys. */
export function flowOfWideBody({ columns }: Header, seriesText: string): BisFlow {
  const names = [...columns.keys()].slice(0, seriesText.split(':').length)
  return served(flowByDimensions(names), names.join())
}

function served(flow: BisFlow | null, text: string): BisFlow {
  if (flow !== null) return flow
  const codes = BIS_FLOWS.map(({ dataset }) => dataset.code).join(', ')
  throw new BrokenBody(`the table ${quoted(text)} is not served; served are ${codes}`)
}
