import type { MacroObservation } from '../../../domains/macro/model.js'
import { BrokenCsv } from '../../bodies/csv/csv.js'
import { type XmlTag, xmlTags } from '../../bodies/xml-tags.js'
import { BrokenBody, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { BIS_FLOWS, type BisFlow, flowByDimensions } from './flows.js'
import { Observations } from './observations.js'
import { readUnitMultOrNull } from './read-value.js'
import { type BodySeries, createSeries } from './series-facts.js'

/**
 * Reads a generic message of SDMX-ML 2.1, series by series; it may hold parts of series. Throws BrokenBody, and
 * BrokenCsv for another document.
 */
export async function* xmlRows(
  body: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<MacroObservation>> {
  const message = new GenericMessage(context)
  for await (const tag of xmlTags(body)) {
    const read = message.read(tag)
    if (read !== null) yield read
  }
  message.end()
}

/** Values by id. */
type Values = Map<string, string>

const NO_SERIES = { key: '', series: null, wrong: null } as const

/** The open elements: the path of names, and the text read below each. */
class GenericMessage {
  readonly #context: ParseContext
  readonly #path: string[] = []
  #flow: BisFlow | null = null
  #observations: Observations | null = null
  #hasSeries = false
  readonly #common: Values = new Map()
  #key: Values = new Map()
  #attributes: Values = new Map()
  /** From the key and the attributes; created at the first observation of the series. */
  #series: {
    readonly key: string
    readonly series: BodySeries | null
    readonly wrong: string | null
  } | null = null
  #observed: Values = new Map()

  constructor(context: ParseContext) {
    this.#context = context
  }

  /** The observation that the tag completes, or the reason why it does not count. */
  read(tag: XmlTag): Parsed<MacroObservation> | null {
    if (tag.kind === 'cut') return this.#rejected('the body is cut off')
    if (tag.kind === 'open') {
      this.#open(tag)
      return null
    }
    this.#path.pop()
    if (tag.name === 'Obs') return this.#endObservation()
    // A series without observations has nothing to store.
    return null
  }

  /** Throws BrokenBody if the message had no series. */
  end(): void {
    if (!this.#hasSeries) throw new BrokenBody('the message has no series')
  }

  #open(tag: XmlTag & { readonly kind: 'open' }): void {
    const { name } = tag
    if (this.#path.length === 0 && name !== 'GenericData') {
      throw new BrokenCsv(
        `the body is HTML or XML, neither CSV nor a generic SDMX message: it begins with ${quoted(name)}`,
      )
    }
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (name === 'Ref' && parent === 'StructureUsage') this.#flow = flowOf(tag.attribute('id') ?? '')
    if (name === 'Series') this.#beginSeries()
    if (name === 'Obs') this.#observed = new Map()
    if (name === 'ObsKey') throw new BrokenBody('the message is flat; request one with series')
    if (name === 'ObsDimension') this.#observed.set('TIME_PERIOD', tag.attribute('value') ?? '')
    if (name === 'ObsValue') this.#observed.set('OBS_VALUE', tag.attribute('value') ?? '')
    if (name === 'Value') this.#valuesOf(parent)?.set(tag.attribute('id') ?? '', tag.attribute('value') ?? '')
  }

  #beginSeries(): void {
    this.#hasSeries = true
    this.#key = new Map()
    this.#attributes = new Map()
    this.#series = null
  }

  /** The map for a value below the element. */
  #valuesOf(element: string | undefined): Values | null {
    if (element === 'SeriesKey') return this.#key
    if (element !== 'Attributes') return null
    const owner = this.#path.at(-3)
    if (owner === 'DataSet') return this.#common
    if (owner === 'Series') return this.#attributes
    return owner === 'Obs' ? this.#observed : null
  }

  #endObservation(): Parsed<MacroObservation> | null {
    const { series, wrong } = this.#seriesNow()
    if (wrong !== null) return this.#rejected(wrong)
    if (this.#observations === null) return null
    const of = (name: string) => this.#observed.get(name) ?? ''
    const cell = { position: this.#position(), period: of('TIME_PERIOD'), status: of('OBS_STATUS') }
    return this.#observations.read(series, { ...cell, text: of('OBS_VALUE') })
  }

  #seriesNow() {
    this.#series ??= this.#readSeries()
    return this.#series
  }

  #readSeries() {
    this.#flow ??= flowByDimensions([...this.#key.keys()])
    const flow = this.#flow
    const key = [...this.#key.values()].join('.')
    if (flow === null) {
      throw new BrokenBody(`the series ${quoted(key)} are not in a served table; served are ${CODES}`)
    }
    this.#observations ??= new Observations(flow, false, this.#context)
    const missing = flow.dimensions.find((dimension) => !this.#key.get(dimension))
    if (missing !== undefined) return { ...NO_SERIES, key, wrong: `has no ${missing}` }
    const attribute = (name: string) => this.#attributes.get(name) ?? this.#common.get(name) ?? ''
    const unitMult = readUnitMultOrNull(attribute('UNIT_MULT'))
    if ('wrong' in unitMult) return { ...NO_SERIES, key, wrong: unitMult.wrong }
    const attributes = { unitMeasure: attribute('UNIT_MEASURE') || null, unitMult: unitMult.value }
    const title = (attribute('TITLE_TS') || attribute('TITLE')).trim() || null
    const series = createSeries(flow, (dimension) => this.#key.get(dimension) ?? '', { attributes, title })
    return { key, series, wrong: null }
  }

  #position(): string {
    const period = this.#observed.get('TIME_PERIOD') ?? ''
    return `series ${[...this.#key.values()].join('.')}, ${period}`
  }

  #rejected(reason: string): Parsed<MacroObservation> {
    return { kind: 'rejected', position: this.#position(), reason }
  }
}

const CODES = BIS_FLOWS.map(({ dataset }) => dataset.code).join(', ')

/** The flow with that code; null for the name of a structure, whose dimensions identify it. */
function flowOf(code: string): BisFlow | null {
  return BIS_FLOWS.find(({ dataset }) => dataset.code === code) ?? null
}
