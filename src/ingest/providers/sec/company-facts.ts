import { type Cik, parseCik } from '../../../core/identifiers.js'
import { READ_TAGS } from '../../../domains/filings/figures/figure-rules-model.js'
import { type FiledFact, isFactUnit, REPORT_FORMS } from '../../../domains/filings/model.js'
import { JsonStream } from '../../bodies/json/json-stream.js'
import type { Read } from '../../bodies/read.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { sec } from '../providers.js'
import { type FactCells, type FactText, readFact } from './fact.js'
import { SEC_VARIABLE, secRequest } from './request.js'

/** Members that all feeds of company figures share. */
const COMPANY_FACTS = {
  id: 'sec-facts',
  provider: sec,
  dataset: 'filings',
  description: 'Figures that a company filed with the SEC, every filing of them (companyfacts)',
  cadence: 'each night, for the stocks of the instrument master that have a CIK',
  fileNames: ['CIK0001045810.json'],
  keyVariable: SEC_VARIABLE,
} as const

/** The figures of one company from a file. */
export const companyFactsFile: StreamFeed<FiledFact> = {
  ...COMPANY_FACTS,
  parseStream: (body, context) => parseFacts(body, context, null),
}

/** The figures of one company from EDGAR. A body about another company is refused. */
export function companyFacts(cik: Cik): StreamFeed<FiledFact> {
  return {
    ...COMPANY_FACTS,
    request: () =>
      secRequest(`https://data.sec.gov/api/xbrl/companyfacts/CIK${cik}.json`, 'application/json'),
    parseStream: (body, context) => parseFacts(body, context, cik),
  }
}

/** The facts of one company; `expectedCik`: the required company; null accepts any. */
export async function* parseFacts(
  chunks: AsyncIterable<Uint8Array>,
  { now, onAbsent }: ParseContext,
  expectedCik: Cik | null,
): AsyncGenerator<Parsed<FiledFact>> {
  const reader = new FactsReader(now, expectedCik, onAbsent)
  const stream = new JsonStream(reader)
  for await (const chunk of chunks) {
    stream.write(chunk)
    yield* reader.taken()
  }
  stream.end()
  reader.end()
}

/** Several times the longest list of a real filer; it bounds the memory for finding duplicates. */
const MAX_FACTS_IN_LIST = 20_000

/** Cells are far shorter; the rest of a longer one is cut off. */
const MAX_CELL_LENGTH = 200

/** A fact is at facts.<taxonomy>.<tag>.units.<unit>.*, its cells one level below. */
const LIST_DEPTH = 5
const FACT_DEPTH = 6

/** The value of a filing for a period. */
interface Statement {
  readonly row: FiledFact
  readonly position: string
  /** Values that contradict that of the row. */
  readonly others: Set<string>
}

/** Collects the facts from the parser's events; it holds at most one list of one tag. */
class FactsReader {
  readonly #now: Date
  readonly #expectedCik: Cik | null
  readonly #onAbsent: ParseContext['onAbsent']
  #cik: Cik | null = null
  #hasFacts = false
  #items: Parsed<FiledFact>[] = []
  #tagsBegun = new Set<string>()
  /** The cells of the current fact; null if the fact is not used. */
  #cells: FactText | null = null
  #twice: string | null = null
  /** The facts of the current list by period and filing. */
  #stated = new Map<string, Statement>()

  constructor(now: Date, expectedCik: Cik | null, onAbsent: ParseContext['onAbsent']) {
    this.#onAbsent = onAbsent
    this.#now = now
    this.#expectedCik = expectedCik
  }

  /** Returns the items since the last call. */
  taken(): readonly Parsed<FiledFact>[] {
    const items = this.#items
    this.#items = []
    return items
  }

  end(): void {
    if (!this.#hasFacts) throw new BrokenBody('the body has no facts: it is not an answer of companyfacts')
  }

  open(path: readonly string[]): void {
    if (path.length === 0 || path[0] !== 'facts') return
    if (path.length === 1) this.#begin()
    else if (path.length === LIST_DEPTH && this.#isRead(path)) this.#beginList(path)
    else if (path.length === FACT_DEPTH && this.#isRead(path)) {
      this.#cells = new Map()
      this.#twice = null
    } else if (path.length === FACT_DEPTH && path[3] === 'units') this.#onAbsent()
  }

  value(path: readonly string[], value: string | number | boolean | null): void {
    if (path.length === 1 && path[0] === 'cik') this.#readCik(value)
    if (path.length === FACT_DEPTH && path[0] === 'facts' && this.#isRead(path)) {
      const position = path.slice(1, 3).join(':')
      this.#items.push({ kind: 'rejected', position, reason: `${quoted(String(value))} is not a fact` })
    }
    if (this.#cells === null || path.length !== FACT_DEPTH + 1) return
    const name = path[FACT_DEPTH] ?? ''
    if (this.#cells.has(name)) this.#twice = name
    this.#cells.set(name, typeof value === 'string' ? value.slice(0, MAX_CELL_LENGTH) : value)
  }

  close(path: readonly string[]): void {
    if (path.length === LIST_DEPTH && this.#isRead(path)) this.#endList()
    if (this.#cells === null || path.length !== FACT_DEPTH) return
    this.#read(path, this.#cells)
    this.#cells = null
  }

  #begin(): void {
    if (this.#cik === null) throw new BrokenBody('the body does not state its company; cik must come first')
    if (this.#hasFacts) throw new BrokenBody('the body has the facts twice')
    this.#hasFacts = true
  }

  #readCik(value: string | number | boolean | null): void {
    const cik = parseCik(String(value))
    if (cik === null) throw new BrokenBody(`the body has ${quoted(String(value))} in place of a CIK`)
    if (this.#cik !== null) throw new BrokenBody('the body has its CIK twice')
    if (this.#expectedCik !== null && cik !== this.#expectedCik)
      throw new BrokenBody(`the body belongs to the company ${cik}, not to ${this.#expectedCik}`)
    this.#cik = cik
  }

  #isRead([, taxonomy, tag, units, unit]: readonly string[]): boolean {
    return units === 'units' && READ_TAGS.has(`${taxonomy}:${tag}`) && isFactUnit(unit ?? '')
  }

  #beginList(path: readonly string[]): void {
    const list = path.slice(1).join(' ')
    if (this.#tagsBegun.has(list)) throw new BrokenBody(`the body has ${quoted(list)} twice`)
    this.#tagsBegun.add(list)
    this.#stated = new Map()
  }

  /** After the last fact of a list it is known which facts contradict each other. */
  #endList(): void {
    for (const { row, position, others } of this.#stated.values()) {
      if (others.size === 0) this.#items.push({ kind: 'row', row })
      else {
        const values = [row.value, ...others].join(' and ')
        const reason = `the filing states the period more than once, with ${values}; none is used`
        for (let count = 0; count <= others.size; count += 1)
          this.#items.push({ kind: 'rejected', position, reason })
      }
    }
    this.#stated = new Map()
  }

  #read([, taxonomy = '', tag = '', , unit = '']: readonly string[], cells: FactText): void {
    const form = cells.get('form')
    if (typeof form === 'string' && !REPORT_FORMS.includes(form)) {
      this.#onAbsent()
      return
    }
    const position = `${taxonomy}:${tag}, ${cells.get('accn') ?? 'no filing'}, ${cells.get('end') ?? 'no end'}`
    const read: Read<FactCells> =
      this.#twice === null ? readFact(cells, this.#now) : { wrong: `${quoted(this.#twice)} appears twice` }
    if ('wrong' in read) {
      this.#items.push({ kind: 'rejected', position, reason: read.wrong })
      return
    }
    if (this.#cik === null) throw new Error('facts are read after the CIK')
    const row = { cik: this.#cik, taxonomy, tag, unit, ...read.value }
    const key = `${row.periodStart} ${row.periodEnd} ${row.accession}`
    const earlier = this.#stated.get(key)
    if (earlier === undefined) {
      if (this.#stated.size >= MAX_FACTS_IN_LIST)
        throw new BrokenBody(`${taxonomy}:${tag} has more than ${MAX_FACTS_IN_LIST} facts`)
      this.#stated.set(key, { row, position, others: new Set() })
    } else if (earlier.row.value === row.value || earlier.others.has(row.value)) this.#onAbsent()
    else earlier.others.add(row.value)
  }
}
