import { type OffsetPage, pageLinks } from '../../../core/page.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { type ArgumentValues, parseQuery } from '../parameters/parameters.js'
import { memberOf, rowsOf, type Table, totalOf } from './table.js'

/** One response of a list or series, and its request. */
export interface AnsweredTable {
  readonly table: Table
  /** Default limit and offset; null if the table has no pages by offset or number. */
  readonly page: OffsetPage | null
  readonly exchange: Pick<Exchange, 'path' | 'search'>
  readonly values: ArgumentValues
  /** The result of the field's `check`. */
  readonly input: unknown
  /** The value that is written as JSON. */
  readonly data: unknown
}

type Relation = 'first' | 'prev' | 'next' | 'last'

/** A page by the parameters that differ from those of the request. */
type Page = readonly [relation: Relation, parameters: Readonly<Record<string, string>>]

/**
 * Creates `X-Total-Count`, the number of rows on all pages, and `Link` (RFC 8288) to other pages. Links are absolute paths
 * that keep all other query parameters. Unknown values are omitted.
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
    const isLast = total !== null && total <= rowsOf(table, data).length
    const next = isLast ? null : paging.next(input)
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

/** Like `offsetPages`, for numbered pages. */
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

/** The requested page, with defaults for absent arguments. */
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
