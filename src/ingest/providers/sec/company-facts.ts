import { duplicateMember } from '../../../core/duplicate-member.js'
import { type Cik, parseCik } from '../../../core/identifiers.js'
import { isObject } from '../../../core/is-object.js'
import { PROVIDERS } from '../../../core/providers.js'
import { READ_TAGS } from '../../../domains/filings/figures/figure-rules-model.js'
import { type FiledFact, isFactUnit, REPORT_FORMS } from '../../../domains/filings/model.js'
import { decodeUtf8 } from '../../bodies/json/json-body.js'
import type { JsonPart, Wanted } from '../../bodies/json/json-scanner.js'
import { jsonParts } from '../../bodies/json/json-stream.js'
import type { Read } from '../../bodies/read.js'
import {
  BrokenBody,
  NotInFormat,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'
import { type FactCells, type FactText, readFact } from './fact.js'
import { SEC_VARIABLE, secRequest } from './request.js'

/** Members that all feeds of company figures share. */
const COMPANY_FACTS = {
  id: 'sec-facts',
  provider: PROVIDERS.sec,
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
  for await (const part of jsonParts(chunks, (path) => reader.choose(path))) {
    reader.read(part)
    yield* reader.taken()
  }
  reader.end()
  yield* reader.taken()
}

/** Several times the longest list of a real filer; it bounds the memory for finding duplicates. */
const MAX_FACTS_IN_LIST = 20_000

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

/** Collects the facts from the parts of a body; it holds at most one list of one tag. */
class FactsReader {
  readonly #now: Date
  readonly #expectedCik: Cik | null
  readonly #onAbsent: ParseContext['onAbsent']
  #cik: Cik | null = null
  #hasFacts = false
  #items: Parsed<FiledFact>[] = []
  #tagsBegun = new Set<string>()
  /** The facts of the current list are used. */
  #isListRead = false
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
    this.#endList()
  }

  choose(path: readonly string[]): Wanted {
    if (path.length === 1 && path[0] === 'cik') return 'text'
    if (path.length > 0 && path[0] !== 'facts') return 'nothing'
    if (path.length === 1) this.#begin()
    if (path.length === LIST_DEPTH) this.#beginList(path)
    if (path.length < FACT_DEPTH) return 'inside'
    if (this.#isListRead) return 'text'
    if (path[3] === 'units') this.#onAbsent()
    return 'nothing'
  }

  read({ path, bytes }: JsonPart): void {
    const text = decodeUtf8(bytes)
    const value = parseJsonText(text)
    if (path.length === 1) this.#readCik(value)
    else if (isObject(value)) this.#readFact(path, new Map(Object.entries(value)), duplicateMember(text))
    else {
      const position = path.slice(1, 3).join(':')
      this.#items.push({ kind: 'rejected', position, reason: `${quoted(String(value))} is not a fact` })
    }
  }

  #begin(): void {
    if (this.#cik === null) throw new BrokenBody('the body does not state its company; cik must come first')
    if (this.#hasFacts) throw new BrokenBody('the body has the facts twice')
    this.#hasFacts = true
  }

  #readCik(value: unknown): void {
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
    this.#endList()
    this.#isListRead = this.#isRead(path)
    if (!this.#isListRead) return
    const list = path.slice(1).join(' ')
    if (this.#tagsBegun.has(list)) throw new BrokenBody(`the body has ${quoted(list)} twice`)
    this.#tagsBegun.add(list)
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

  #readFact(
    [, taxonomy = '', tag = '', , unit = '']: readonly string[],
    cells: FactText,
    twice: string | null,
  ): void {
    const form = cells.get('form')
    if (typeof form === 'string' && !REPORT_FORMS.includes(form)) {
      this.#onAbsent()
      return
    }
    const position = `${taxonomy}:${tag}, ${cells.get('accn') ?? 'no filing'}, ${cells.get('end') ?? 'no end'}`
    const read: Read<FactCells> =
      twice === null ? readFact(cells, this.#now) : { wrong: `${quoted(twice)} appears twice` }
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

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NotInFormat('the body is not JSON', { cause })
  }
}
