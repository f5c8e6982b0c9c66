import { type Figi, parseFigi } from '../../../core/identifiers.js'
import { isJsonObject, isList, type Json, shown, wholeJson } from '../../bodies/json/json-body.js'
import { BrokenBody, type PagedFeed, type Parsed } from '../../feed.js'
import { openFigi } from '../providers.js'
import {
  jobsPerRequest,
  type MappingJob,
  mappingFeedRequest,
  type OpenFigiAccount,
} from './mapping-request.js'

/** The code of OpenFIGI for all markets of the United States together. */
export const UNITED_STATES = 'US'

/** Without a key a run takes two minutes. */
const REQUESTS_PER_RUN = 25

/** The most identifiers of one run. */
export function identifiersPerRun(account: OpenFigiAccount): number {
  return jobsPerRequest(account) * REQUESTS_PER_RUN
}

/** What a feed asks for by identifiers. */
interface MappingOptions<Item, Row> {
  readonly id: string
  readonly description: string
  readonly cadence: string
  readonly items: readonly Item[]
  /** What the identifiers are, for errors, e.g. tickers. */
  readonly what: string
  jobOf(item: Item): MappingJob
  /** The identifier, for the position of a refusal. */
  nameOf(item: Item): string
  /** Whether a row of an answer is about the item. */
  isAbout(row: ReadonlyMap<string, Json>, item: Item): boolean
  rowOf(item: Item, figi: Figi | null): Row
}

/**
 * The composite FIGI in the United States of each item: OpenFIGI v3, POST /v3/mapping, several with a request. An item that
 * OpenFIGI does not know, or whose answer cannot be used, counts as asked.
 */
export function mappingFeed<Item, Row>(
  options: MappingOptions<Item, Row>,
  account: OpenFigiAccount,
): PagedFeed<Row> {
  const { id, description, cadence, items, jobOf } = options
  const size = jobsPerRequest(account)
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
  return {
    ...{ id, description, cadence },
    provider: openFigi,
    dataset: 'instruments',
    requests: () => batches.map((batch) => mappingFeedRequest(batch.map(jobOf), account)),
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
  const results = wholeJson(body)
  if (!isList(results)) throw new BrokenBody('the body is not a list of mapping results')
  if (results.length !== batch.length)
    throw new BrokenBody(`${results.length} results were sent for ${batch.length} ${options.what}`)
  for (const [at, item] of batch.entries()) {
    const found = figiIn(results[at], item, options)
    const isUsable = found === null || typeof found === 'string'
    // The attempt is kept in either case, so that the next run goes on with others.
    yield { kind: 'row', row: options.rowOf(item, isUsable ? found : null) }
    if (isUsable) continue
    const position = `result ${before + at + 1}, ${options.nameOf(item)}`
    yield { kind: 'rejected', position, reason: found.wrong }
  }
}

/** Null if OpenFIGI does not know the identifier. */
function figiIn<Item, Row>(
  result: Json | undefined,
  item: Item,
  { isAbout }: MappingOptions<Item, Row>,
): Figi | null | { readonly wrong: string } {
  if (result === undefined || !isJsonObject(result)) return { wrong: `${shown(result)} is not a result` }
  const rows = result.get('data')
  if (!isList(rows)) {
    const refusal = { wrong: `OpenFIGI refused the identifier: ${shown(result.get('error'))}` }
    return result.has('warning') ? null : refusal
  }
  const [figi, ...others] = new Set(
    rows.flatMap((row) => (isJsonObject(row) && isAbout(row, item) ? compositeIn(row) : [])),
  )
  if (figi === undefined)
    return { wrong: 'no row is about it and has the composite FIGI of the United States' }
  return others.length === 0 ? figi : { wrong: `several securities have it: ${[figi, ...others].join(', ')}` }
}

/** The FIGI in a row about all markets of the United States together; none in a row about one market. */
function compositeIn(row: ReadonlyMap<string, Json>): readonly Figi[] {
  const figi = row.get('figi')
  if (row.get('exchCode') !== UNITED_STATES || typeof figi !== 'string' || figi !== row.get('compositeFIGI'))
    return []
  const parsed = parseFigi(figi)
  return parsed === null ? [] : [parsed]
}
