import { type OffsetPage, pageLinks } from '../../core/page.js'
import type { ArgumentValues, QueryPairs } from '../parameters/parameters.js'

/** The query parameters that a link replaces. */
const PAGE_PARAMETERS: ReadonlySet<string> = new Set(['limit', 'offset'])

/**
 * `Link` of a list (RFC 8288): first, prev, next and last as absolute paths with the rest of the query kept.
 * Null where the answer does not say its total.
 */
export function linkHeader(
  pathname: string,
  pairs: QueryPairs,
  page: OffsetPage,
  data: unknown,
): string | null {
  const total = totalOf(data)
  if (total === null) return null
  const kept = pairs.filter(([name]) => !PAGE_PARAMETERS.has(name)).map(encodePair)
  const links = pageLinks(total, page)
  const parts: string[] = []
  for (const rel of ['first', 'prev', 'next', 'last'] as const) {
    const offset = links[rel]
    if (offset === null) continue
    const query = [...kept, `limit=${page.limit}`, `offset=${offset}`].join('&')
    parts.push(`<${pathname}?${query}>; rel="${rel}"`)
  }
  return parts.join(', ')
}

/** The page that was asked for; what was left out has the default of its argument. */
export function pageOf(values: ArgumentValues, defaults: OffsetPage): OffsetPage {
  const { limit, offset } = values
  return {
    limit: typeof limit === 'number' ? limit : defaults.limit,
    offset: typeof offset === 'number' ? offset : defaults.offset,
  }
}

function totalOf(data: unknown): number | null {
  if (data === null || typeof data !== 'object' || !('meta' in data)) return null
  const { meta } = data
  if (meta === null || typeof meta !== 'object' || !('total' in meta)) return null
  return typeof meta.total === 'number' ? meta.total : null
}

function encodePair([name, text]: readonly [string, string]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`
}
