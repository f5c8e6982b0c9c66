import type { Figi } from '../../../core/identifiers.js'
import { type Read, readOn, valueOr } from '../../bodies/read.js'
import type { PagedFeed, Parsed } from '../../feed.js'
import { openFigi } from '../providers.js'
import { type MappedSecurity, type MappingResult, parseMappingAnswer } from './mapping-answer.js'
import { jobsPerRequest, type MappingJob, mappingRequest } from './mapping-request.js'

/** The code of OpenFIGI for all markets of the United States together. */
export const UNITED_STATES = 'US'

/** Without a key a run takes two minutes. */
const REQUESTS_PER_RUN = 25

/** The most identifiers of one run. */
export function identifiersPerRun(apiKey: string | null): number {
  return jobsPerRequest(apiKey) * REQUESTS_PER_RUN
}

/** What a feed asks for by identifiers. */
interface MappingOptions<Item, Row> {
  readonly id: string
  readonly description: string
  readonly cadence: string
  readonly items: readonly Item[]
  jobOf(item: Item): MappingJob
  /** The identifier, for the position of a refusal. */
  nameOf(item: Item): string
  /** Whether a security of an answer has the identifier. */
  isAbout(security: MappedSecurity, item: Item): boolean
  rowOf(item: Item, figi: Figi | null): Row
}

/**
 * The composite FIGI in the United States of each item: OpenFIGI v3, POST /v3/mapping, several with a request. An item that
 * OpenFIGI does not know, or whose answer cannot be used, counts as asked.
 */
export function mappingFeed<Item, Row>(
  options: MappingOptions<Item, Row>,
  apiKey: string | null,
): PagedFeed<Row> {
  const { id, description, cadence, items, jobOf } = options
  const size = jobsPerRequest(apiKey)
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
  return {
    ...{ id, description, cadence },
    provider: openFigi,
    dataset: 'instruments',
    requests: () => batches.map((batch) => mappingRequest(batch.map(jobOf), apiKey)),
    next: () => null,
    parsePages: function* (pages, context) {
      for (const [at, { body }] of pages.entries())
        yield* parseAnswer(body, batches[at] ?? [], at * size, options)
      context.onRead(1)
    },
  }
}

/** The results are in the order of the items. */
function* parseAnswer<Item, Row>(
  body: Uint8Array,
  batch: readonly Item[],
  before: number,
  options: MappingOptions<Item, Row>,
): Generator<Parsed<Row>> {
  for (const [at, result] of parseMappingAnswer(body, batch.length).entries()) {
    const item = batch[at]
    if (item === undefined) throw new Error('an answer has one result for each item')
    const found = compositeOf(result, (security) => options.isAbout(security, item))
    // The attempt is kept in either case, so that the next run goes on with others.
    yield { kind: 'row', row: options.rowOf(item, valueOr(found, null)) }
    if ('value' in found) continue
    const position = `result ${before + at + 1}, ${options.nameOf(item)}`
    yield { kind: 'rejected', position, reason: found.wrong }
  }
}

/** The FIGI of all markets of the United States together. Null if OpenFIGI does not know the identifier. */
function compositeOf(
  result: MappingResult,
  isAbout: (security: MappedSecurity) => boolean,
): Read<Figi | null> {
  return readOn(result, (rows) => {
    const securities = rows.flatMap((row) => ('value' in row ? row.value : []))
    const composites = securities.filter(
      (one) => one.exchCode === UNITED_STATES && one.figi === one.compositeFigi && isAbout(one),
    )
    const [figi, ...others] = new Set(composites.map((one) => one.figi))
    if (rows.length === 0) return { value: null }
    if (figi === undefined)
      return { wrong: 'no row is about it and has the composite FIGI of the United States' }
    return others.length === 0
      ? { value: figi }
      : { wrong: `several securities have it: ${[figi, ...others].join(', ')}` }
  })
}
