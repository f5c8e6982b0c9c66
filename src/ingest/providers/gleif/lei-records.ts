import { csvRecordStream } from '../../../core/csv.js'
import { CsvHeader } from '../../../core/csv-header.js'
import { explainLei, type Lei, parseLei } from '../../../core/identifiers.js'
import { type LegalNameRow, NAMES_PART } from '../../../domains/screening/model.js'
import {
  BrokenBody,
  type FeedRequest,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'
import { gleif } from './provider.js'

/** Legal names by LEI: answers of the API, or the golden copy as a table. */
export const gleifRecords: StreamFeed<LegalNameRow> = {
  id: 'gleif',
  provider: gleif,
  dataset: 'screening',
  part: NAMES_PART,
  description: 'Legal names by LEI: an answer of the API in JSON, or the golden copy in CSV',
  cadence: 'daily, for entities of the lists that have no name yet',
  fileNames: ['lei-records.json', '20261120-0800-gleif-goldencopy-lei2-golden-copy.csv'],
  request: () => null,
  parseStream: parseRecords,
}

/** Asks the API for the records of LEIs, two hundred at most. */
export function recordsRequest(leis: readonly Lei[]): FeedRequest {
  const query = `filter%5Blei%5D=${leis.join(',')}&page%5Bsize%5D=200`
  return {
    url: `https://api.gleif.org/api/v1/lei-records?${query}`,
    headers: { accept: 'application/vnd.api+json' },
  }
}

/** A page of the API has 200 records, about a megabyte. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

const BRACE = 0x7b
const BRACKET = 0x5b

/** Reads either form; the first character says which it is. */
export async function* parseRecords(
  chunks: AsyncIterable<Uint8Array>,
  { now }: ParseContext,
): AsyncGenerator<Parsed<LegalNameRow>> {
  const iterator = chunks[Symbol.asyncIterator]()
  const first = await iterator.next()
  const begin: Uint8Array = first.done ? new Uint8Array() : first.value
  const whole = (async function* () {
    yield begin
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  })()
  const character = begin.find((byte) => byte > 0x20)
  if (character === BRACE || character === BRACKET) yield* parseJson(await collected(whole), now)
  else yield* parseTable(whole)
}

async function collected(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const held: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > MAX_JSON_BYTES)
      throw new BrokenBody('the answer is far too long; take the golden copy in CSV')
    held.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(held))
  } catch (error) {
    throw new BrokenBody('the body is not UTF-8 text', { cause: error })
  }
}

function* parseJson(text: string, now: Date): Generator<Parsed<LegalNameRow>> {
  const body = parsed(text)
  const { data } = body
  if (data === undefined) throw new BrokenBody('the answer has no data; it is likely an error of the API')
  const publishedAt = instantOf(memberOf(memberOf(body.meta, 'goldenCopy'), 'publishDate'), now)
  const records: readonly unknown[] = Array.isArray(data) ? data : [data]
  const names = new Map<string, string>()
  for (const [at, record] of records.entries()) {
    const attributes = memberOf(record, 'attributes')
    const legalName = memberOf(memberOf(memberOf(attributes, 'entity'), 'legalName'), 'name')
    const read = readName(memberOf(attributes, 'lei'), legalName)
    const before = 'lei' in read ? names.get(read.lei) : undefined
    if ('lei' in read) names.set(read.lei, before ?? read.legalName)
    const isOther = before !== undefined && 'lei' in read && before !== read.legalName
    const reason = `the LEI is there already, with the name ${quoted(before ?? '')}`
    yield asParsed(`record ${at + 1}`, isOther ? { reason } : read, publishedAt)
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? { data: value } : Object(value)
  } catch (error) {
    throw new BrokenBody('the body is no JSON, or was cut off', { cause: error })
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function instantOf(value: unknown, now: Date): Date | null {
  const instant = typeof value === 'string' ? new Date(value) : now
  return Number.isNaN(instant.getTime()) || instant >= now ? null : instant
}

const COLUMNS = ['LEI', 'Entity.LegalName'] as const

type Column = (typeof COLUMNS)[number]

async function* parseTable(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Parsed<LegalNameRow>> {
  let header: CsvHeader<Column> | null = null
  for await (const record of csvRecordStream(chunks)) {
    if (header === null) {
      header = new CsvHeader<Column>(record.cells)
      const missing = header.missing(COLUMNS)
      if (missing !== null) throw new BrokenBody(missing)
      continue
    }
    // Millions of rows: which LEIs came before is not kept, and of two names the last counts.
    const reason = header.explain(record)
    const read =
      reason === null
        ? readName(header.cell(record, 'LEI'), header.cell(record, 'Entity.LegalName'))
        : { reason }
    yield asParsed(`line ${record.line}`, read, null)
  }
}

/** The name of a record, or why it has none. */
function readName(
  code: unknown,
  name: unknown,
): Omit<LegalNameRow, 'observedAt'> | { readonly reason: string } {
  const text = typeof code === 'string' ? code : ''
  const lei = parseLei(text)
  if (lei === null) return { reason: `the LEI ${quoted(text)} ${explainLei(text)}` }
  const legalName = typeof name === 'string' ? name.trim() : ''
  return legalName === '' ? { reason: `${lei} has no legal name` } : { lei, legalName }
}

function asParsed(
  position: string,
  read: ReturnType<typeof readName>,
  observedAt: Date | null,
): Parsed<LegalNameRow> {
  return 'reason' in read
    ? { kind: 'rejected', position, reason: read.reason }
    : { kind: 'row', row: { ...read, observedAt } }
}
