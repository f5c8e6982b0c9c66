import { type OffsetPage, pageLinks } from '../../../core/page.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { type ArgumentValues, parseQuery } from '../parameters/parameters.js'
import { memberOf, type Table, totalOf } from './table.js'

/** One answer of a list or series, and what was asked for it. */
export interface AnsweredTable {
  readonly table: Table
  /** Limit and offset where the caller names none; null where the answer is not paged by them or by page. */
  readonly page: OffsetPage | null
  readonly exchange: Pick<Exchange, 'path' | 'search'>
  readonly values: ArgumentValues
  /** What the route's field made of the values. */
  readonly input: unknown
  /** The body as JSON carries it. */
  readonly data: unknown
}

type Relation = 'first' | 'prev' | 'next' | 'last'

/** A page by the parameters in which it differs from the one that was asked for. */
type Page = readonly [relation: Relation, parameters: Readonly<Record<string, string>>]

/**
 * `X-Total-Count`, the rows on all pages, and `Link` (RFC 8288) to the other pages: absolute paths with the rest of the
 * query kept. What the answer does not say is left out.
 */
export function pageHeaders(answered: AnsweredTable): readonly string[] {
  const total = totalOf(answered.table, answered.data)
  const links = pagesOf(answered, total).map((page) => linkTo(page, answered.exchange))
  return [
    ...(total === null ? [] : ['x-total-count', String(total)]),
    ...(links.length === 0 ? [] : ['link', links.join(', ')]),
  ]
}

function pagesOf({ table, page, values, input, data }: AnsweredTable, total: number | null): readonly Page[] {
  const { paging } = table
  if (paging === null) return []
  if (paging.by === 'cursor') {
    const cursor = memberOf(data, paging.member)
    return typeof cursor === 'string' ? [['next', { cursor }]] : []
  }
  if (paging.by === 'arguments') {
    const next = paging.next(input)
    return next === null ? [] : [['next', next]]
  }
  if (page === null || total === null) return []
  return paging.by === 'page' ? numberedPages(total, values, page) : offsetPages(total, pageOf(values, page))
}

function offsetPages(total: number, page: OffsetPage): readonly Page[] {
  const links = pageLinks(total, page)
  return (['first', 'prev', 'next', 'last'] as const).flatMap((relation) => {
    const offset = links[relation]
    return offset === null ? [] : [[relation, { limit: String(page.limit), offset: String(offset) }] as const]
  })
}

/** The same by number. */
function numberedPages(
  total: number,
  { page, limit }: ArgumentValues,
  defaults: OffsetPage,
): readonly Page[] {
  const size = typeof limit === 'number' ? limit : defaults.limit
  const links = pageLinks(total, { limit: size, offset: typeof page === 'number' ? (page - 1) * size : 0 })
  return (['first', 'prev', 'next', 'last'] as const).flatMap((relation) => {
    const offset = links[relation]
    const wanted = offset === null ? null : { page: String(offset / size + 1), limit: String(size) }
    return wanted === null ? [] : [[relation, wanted] as const]
  })
}

/** The page that was asked for; what was left out has the default of its argument. */
function pageOf({ limit, offset }: ArgumentValues, defaults: OffsetPage): OffsetPage {
  return {
    limit: typeof limit === 'number' ? limit : defaults.limit,
    offset: typeof offset === 'number' ? offset : defaults.offset,
  }
}

function linkTo([relation, parameters]: Page, { path, search }: AnsweredTable['exchange']): string {
  const kept = parseQuery(search).filter(([name]) => !Object.hasOwn(parameters, name))
  const query = [...kept, ...Object.entries(parameters)].map(encodePair).join('&')
  return `<${path}?${query}>; rel="${relation}"`
}

function encodePair([name, text]: readonly [string, string]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`
}
