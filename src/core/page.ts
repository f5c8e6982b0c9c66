import { type Given, parseLimit, parseWhole, type WholeBounds } from './argument-parsers.js'
import type { Problems } from './problems.js'

/** Lists: items per page. */
export const OFFSET_LIMITS = { min: 1, max: 100, default: 20 } as const satisfies WholeBounds

/** Series: observations per page. */
export const SERIES_LIMITS = { min: 1, max: 1000, default: 100 } as const satisfies WholeBounds

/** Series of days whose whole history is one page: the days of half a century. */
export const LONG_SERIES_LIMITS = { ...SERIES_LIMITS, max: 20_000 } as const satisfies WholeBounds

/** The database reads every skipped row, so deeper pages are refused; filters reach them. */
export const MAX_OFFSET = 1_000_000

/** Every series ends before it. A page beyond the end is empty and costs no more than reading the series once. */
export const MAX_PAGE = 1_000_000

/** Longer than any cursor of ours. */
const MAX_CURSOR_LENGTH = 512

export interface OffsetPage {
  readonly limit: number
  readonly offset: number
}

/** `page` counts from 1; `offset` is the same position in rows. */
export interface SeriesPage extends OffsetPage {
  readonly page: number
}

/** The page of a list; missing and null mean the default. */
export function parseOffsetPage(
  problems: Problems,
  input: { readonly limit?: Given<number>; readonly offset?: Given<number> },
  limits: WholeBounds = OFFSET_LIMITS,
): OffsetPage {
  return {
    limit: parseLimit(problems, input.limit, limits),
    offset: parseWhole(problems, 'offset', input.offset, { min: 0, max: MAX_OFFSET, default: 0 }),
  }
}

/** The same for a series, which counts pages from 1. */
export function parseSeriesPage(
  problems: Problems,
  input: { readonly page?: Given<number>; readonly limit?: Given<number> },
  limits: WholeBounds = SERIES_LIMITS,
): SeriesPage {
  const limit = parseLimit(problems, input.limit, limits)
  const page = parseWhole(problems, 'page', input.page, { min: 1, max: MAX_PAGE, default: 1 })
  return { page, limit, offset: (page - 1) * limit }
}

/** Whether rows follow this page; `total` is the number of rows before paging. */
export function hasNext(page: OffsetPage, total: number): boolean {
  return page.offset + page.limit < total
}

export interface PageLinks {
  readonly first: number
  readonly prev: number | null
  readonly next: number | null
  readonly last: number | null
}

/**
 * Offsets for a Link header; null where there is no such page or where it is beyond MAX_OFFSET.
 * From beyond the end, `prev` leads to the last page.
 */
export function pageLinks(total: number, page: OffsetPage): PageLinks {
  const lastOffset = Math.floor(Math.max(0, total - 1) / page.limit) * page.limit
  const next = page.offset + page.limit
  return {
    first: 0,
    prev: page.offset === 0 ? null : Math.min(Math.max(0, page.offset - page.limit), lastOffset),
    next: hasNext(page, total) && next <= MAX_OFFSET ? next : null,
    last: lastOffset <= MAX_OFFSET ? lastOffset : null,
  }
}

/** An opaque position in a list: base64url of a JSON array. It is not secret, so it must not contain secrets. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The parts as text; null for a text that `encodeCursor` would not write with so many parts. */
export function decodeCursor(text: string, arity: number): readonly string[] | null {
  if (text.length > MAX_CURSOR_LENGTH) return null
  const parts = parseJson(Buffer.from(text, 'base64url').toString())
  if (!Array.isArray(parts) || parts.length !== arity || !parts.every(isCursorPart)) return null
  // Base64 decoding ignores unknown characters; only our own spelling is accepted.
  return encodeCursor(parts) === text ? parts.map(String) : null
}

function isCursorPart(part: unknown): part is string | number {
  return typeof part === 'string' || typeof part === 'number'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // not JSON, so not a cursor
  }
}
