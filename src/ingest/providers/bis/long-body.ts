import type { MacroObservation } from '../../../domains/macro/model.js'
import type { CsvRecord } from '../../bodies/csv/csv.js'
import { BrokenBody, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { type BisFlow, flowCode, type SeriesAttributes } from './flows.js'
import { type Header, parseLabel, parseSdmxCode } from './header.js'
import { Observations } from './observations.js'
import { readUnitMultOrNull } from './read-value.js'
import { type BodySeries, createSeries } from './series-facts.js'

/** ACTION of SDMX-CSV 2.0: information, append, replace and merge all carry values. */
const GIVING_ACTIONS = new Set(['', 'I', 'A', 'R', 'M'])

const NO_ATTRIBUTES: SeriesAttributes = { unitMeasure: null, unitMult: null }

/** Reads a body with a row per observation. A complete body holds whole series. */
export function longRows(
  header: Header,
  flow: BisFlow,
  isWhole: boolean,
  context: ParseContext,
): (record: CsvRecord) => Generator<Parsed<MacroObservation>> {
  for (const name of ['TIME_PERIOD', 'OBS_VALUE']) {
    if (!header.columns.has(name)) throw new BrokenBody(`the table has no column ${name}`)
  }
  const table = new LongTable(header, flow, new Observations(flow, isWhole, context), context.onAbsent)
  return (record) => table.read(record)
}

class LongTable {
  readonly #header: Header
  readonly #flow: BisFlow
  readonly #observations: Observations
  readonly #onAbsent: ParseContext['onAbsent']
  /** The series of the current rows; they all share one object. */
  #key = ''
  #series: BodySeries | null = null
  /** From a row without a period, which describes the series of the rows after it. */
  #attributes = NO_ATTRIBUTES

  constructor(header: Header, flow: BisFlow, observations: Observations, onAbsent: ParseContext['onAbsent']) {
    this.#onAbsent = onAbsent
    this.#header = header
    this.#flow = flow
    this.#observations = observations
  }

  *read({ line, cells }: CsvRecord): Generator<Parsed<MacroObservation>> {
    const wrong = this.#wrongRow(cells) ?? this.#readSeries(cells)
    const position = `line ${line}`
    if (wrong !== null) {
      yield { kind: 'rejected', position, reason: wrong }
      return
    }
    const period = this.#code(cells, 'TIME_PERIOD')
    if (period === '') {
      this.#onAbsent()
      return
    }
    const text = this.#cell(cells, 'OBS_VALUE')
    const status = this.#header.columns.has('OBS_STATUS') ? this.#code(cells, 'OBS_STATUS') : null
    const read = this.#observations.read(this.#series, { position, period, text, status })
    if (read !== null) yield read
  }

  #wrongRow(cells: readonly string[]): string | null {
    const width = this.#header.cells.length
    if (cells.length !== width) return `has ${cells.length} cells, but the header has ${width}`
    const action = this.#code(cells, 'ACTION')
    if (!GIVING_ACTIONS.has(action)) return `the action ${quoted(action)} is not supported`
    const named = this.#cell(cells, 'STRUCTURE_ID') || this.#cell(cells, 'DATAFLOW')
    const { code } = this.#flow.dataset
    if (named !== '' && flowCode(named) !== code) return `${quoted(named)} is not the table ${code}`
    const missing = this.#flow.dimensions.find((dimension) => this.#code(cells, dimension) === '')
    return missing === undefined ? null : `has no ${missing}`
  }

  /** Notes the series of the row; returns what is wrong with it. */
  #readSeries(cells: readonly string[]): string | null {
    const unitMult = readUnitMultOrNull(this.#code(cells, 'UNIT_MULT'))
    if ('wrong' in unitMult) return unitMult.wrong
    const code = (dimension: string) => this.#code(cells, dimension)
    const key = this.#flow.dimensions.map(code).join('.')
    if (key !== this.#key) this.#attributes = NO_ATTRIBUTES
    const before = this.#attributes
    const attributes = {
      unitMeasure: code('UNIT_MEASURE') || before.unitMeasure,
      unitMult: unitMult.value ?? before.unitMult,
    }
    const isSame = attributes.unitMeasure === before.unitMeasure && attributes.unitMult === before.unitMult
    if (key === this.#key && isSame) return null
    this.#key = key
    this.#attributes = attributes
    this.#series = createSeries(this.#flow, code, { attributes, title: this.#title(cells) })
    return null
  }

  #title(cells: readonly string[]): string | null {
    const title = this.#cell(cells, 'TITLE_TS') || this.#cell(cells, 'TITLE')
    if (title !== '') return title
    const labels = this.#flow.dimensions.slice(1).map((name) => parseLabel(this.#cell(cells, name)))
    return labels.includes(null) ? null : labels.join(' - ')
  }

  #cell(cells: readonly string[], name: string): string {
    return cells[this.#header.columns.get(name) ?? -1] ?? ''
  }

  #code(cells: readonly string[], name: string): string {
    const cell = this.#cell(cells, name)
    return this.#header.isLabelled ? parseSdmxCode(cell) : cell
  }
}
