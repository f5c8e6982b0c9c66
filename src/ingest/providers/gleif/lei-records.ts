import { explainLei, type Lei, parseLei } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { type LegalNameRow, NAMES_PART } from '../../../domains/screening/model.js'
import { concatChunks } from '../../bodies/chunks.js'
import { csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { withFirstByte } from '../../bodies/first-byte.js'
import { decodeUtf8 } from '../../bodies/json/json-body.js'
import {
  BrokenBody,
  type FeedRequest,
  type ParseContext,
  type Parsed,
  quoted,
  type StreamFeed,
} from '../../feed.js'

/** Legal names by LEI: answers of the API, or the golden copy as a table. */
export const gleifRecords: StreamFeed<LegalNameRow> = {
  id: 'gleif',
  provider: PROVIDERS.gleif,
  dataset: 'screening',
  part: NAMES_PART,
  description: 'Legal names by LEI: an answer of the API in JSON, or the golden copy in CSV',
  cadence: 'daily, for entities of the lists that have no name yet',
  fileNames: ['lei-records.json', '20261120-0800-gleif-goldencopy-lei2-golden-copy.csv'],
  parseStream: parseRecords,
}

/** GLEIF allows 60 requests a minute. */
const RATE: RequestRate = { provider: PROVIDERS.gleif.id, pauseMs: 1_100 }

/** Requests the records of LEIs, at most two hundred. */
export function recordsRequest(leis: readonly Lei[]): FeedRequest {
  const query = `filter%5Blei%5D=${leis.join(',')}&page%5Bsize%5D=200`
  return {
    url: `https://api.gleif.org/api/v1/lei-records?${query}`,
    headers: { accept: 'application/vnd.api+json' },
    rate: RATE,
  }
}

const BRACE = 0x7b
const BRACKET = 0x5b

/** Reads either form; the first character tells which it is. */
export async function* parseRecords(
  chunks: AsyncIterable<Uint8Array>,
  { now, onAbsent }: ParseContext,
): AsyncGenerator<Parsed<LegalNameRow>> {
  const { first, text } = await withFirstByte(chunks)
  if (first === BRACE || first === BRACKET)
    yield* parseJson(decodeUtf8(await concatChunks(text)), now, onAbsent)
  else yield* parseTable(text, onAbsent)
}

function* parseJson(text: string, now: Date, onAbsent: OnAbsent): Generator<Parsed<LegalNameRow>> {
  const body = parsed(text)
  const { data } = body
  if (data === undefined) throw new BrokenBody('the answer has no data; it is likely an error of the API')
  const publishedAt = instantOf(memberOf(memberOf(body.meta, 'goldenCopy'), 'publishDate'), now)
  const records: readonly unknown[] = Array.isArray(data) ? data : [data]
  const names = new KnownNames(publishedAt, onAbsent)
  for (const [at, record] of records.entries()) {
    const attributes = memberOf(record, 'attributes')
    const legalName = memberOf(memberOf(memberOf(attributes, 'entity'), 'legalName'), 'name')
    const status = memberOf(memberOf(attributes, 'registration'), 'status')
    const item = names.take(`record ${at + 1}`, readName(memberOf(attributes, 'lei'), legalName), status)
    if (item !== null) yield item
  }
  yield* names.rest()
}

/** Statuses of records that stand for no entity: a duplicate of another LEI, or an erroneous one. */
const WITHOUT_ENTITY: ReadonlySet<unknown> = new Set(['DUPLICATE', 'ANNULLED'])

/** About one record in a hundred is such a duplicate. */
const MAX_HELD = 500_000

type OnAbsent = ParseContext['onAbsent']

type Name = Omit<LegalNameRow, 'observedAt'>

/**
 * Collects the names of one body by LEI. A record without an entity counts only if no other record has the
 * LEI.
 */
class KnownNames {
  readonly #observedAt: Date | null
  readonly #duplicates = new DuplicateRows()
  readonly #held: { readonly position: string; readonly name: Name; readonly status: unknown }[] = []

  readonly #onAbsent: OnAbsent

  constructor(observedAt: Date | null, onAbsent: OnAbsent) {
    this.#observedAt = observedAt
    this.#onAbsent = onAbsent
  }

  /** Null for a repetition, and for a record that waits for the end of the body. */
  take(position: string, read: ReturnType<typeof readName>, status: unknown): Parsed<LegalNameRow> | null {
    if ('reason' in read) return { kind: 'rejected', position, reason: read.reason }
    if (WITHOUT_ENTITY.has(status)) {
      if (this.#held.length >= MAX_HELD) throw new BrokenBody(`more than ${MAX_HELD} records are ${status}`)
      this.#held.push({ position, name: read, status })
      return null
    }
    return this.#note(position, read)
  }

  /** The records that waited. */
  *rest(): Generator<Parsed<LegalNameRow>> {
    for (const { position, name, status } of this.#held.splice(0)) {
      const { lei } = name
      if (this.#duplicates.has(lei)) {
        yield {
          kind: 'rejected',
          position,
          reason: `the record is ${status}, but another record has the LEI ${lei}`,
        }
        continue
      }
      const item = this.#note(position, name)
      if (item !== null) yield item
    }
  }

  #note(position: string, name: Name): Parsed<LegalNameRow> | null {
    const row = { ...name, observedAt: this.#observedAt }
    const double = this.#duplicates.note(name.lei, name.legalName)
    if (double === 'same') {
      this.#onAbsent()
      return null
    }
    if (double === 'new') return { kind: 'row', row }
    const reason = `the LEI ${name.lei} is repeated with another name; neither record is used`
    return { kind: 'rejected', position, reason, ...(double === 'other' ? { contradicts: row } : {}) }
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? { data: value } : Object(value)
  } catch (error) {
    throw new BrokenBody('the body is not JSON, or was cut off', { cause: error })
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

const STATUS = 'Registration.RegistrationStatus'

type Column = (typeof COLUMNS)[number] | typeof STATUS

async function* parseTable(
  chunks: AsyncIterable<Uint8Array>,
  onAbsent: OnAbsent,
): AsyncGenerator<Parsed<LegalNameRow>> {
  const names = new KnownNames(null, onAbsent)
  let header: CsvHeader<Column> | null = null
  for await (const record of csvRecordStream(chunks, { keepsBrokenLines: true })) {
    if (header === null) {
      header = CsvHeader.read<Column>(record.cells, COLUMNS)
      continue
    }
    const reason = header.explain(record)
    const read =
      reason === null
        ? readName(header.cell(record, 'LEI'), header.cell(record, 'Entity.LegalName'))
        : { reason }
    const item = names.take(`line ${record.line}`, read, header.cell(record, STATUS))
    if (item !== null) yield item
  }
  yield* names.rest()
}

/** The name of a record, or why it is rejected. */
function readName(code: unknown, name: unknown): Name | { readonly reason: string } {
  const text = typeof code === 'string' ? code : ''
  const lei = parseLei(text)
  if (lei === null) return { reason: `the LEI ${quoted(text)} ${explainLei(text)}` }
  const legalName = typeof name === 'string' ? name.trim() : ''
  return legalName === '' ? { reason: `${lei} has no legal name` } : { lei, legalName }
}
