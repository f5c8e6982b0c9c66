import type { CallToolResult } from '@modelcontextprotocol/server'
import { tooLargeText } from '../rest/response/too-large-text.js'

/** Largest result of a tool, bytes. Agents cannot use larger ones: they can request fewer rows or another page. */
export const MAX_RESULT_BYTES = 1024 * 1024

/** A failed call. The agent reads the text. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/**
 * A result as JSON text and as an object, and a sentence if its data are late; an error if it has more bytes than the agent
 * accepts. For an operation with the argument `limit`, the error says the limit that fits.
 */
export function jsonResult(
  text: string,
  maxBytes: number,
  { hasLimit = false }: { readonly hasLimit?: boolean } = {},
): CallToolResult {
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes) {
    const limit = hasLimit ? fittingLimit(rowsOf(JSON.parse(text)), maxBytes - bytes) : 0
    return errorResult(tooLargeText(`has ${bytes} bytes`, maxBytes, limit))
  }
  const structuredContent = JSON.parse(text)
  const notices = new Set(lateNotices(structuredContent, FRESHNESS_DEPTH))
  const texts = [text, ...notices]
  return { content: texts.map((part) => ({ type: 'text', text: part })), structuredContent }
}

/** The number of rows that fit if `spareBytes` (negative) are saved, whichever rows a smaller limit returns; 0 without rows. */
function fittingLimit(list: readonly unknown[], spareBytes: number): number {
  const rows = list.map((row) => Buffer.byteLength(JSON.stringify(row)) + 1)
  const smallestFirst = rows.toSorted((a, b) => a - b)
  let saved = 0
  const removed = smallestFirst.findIndex((bytes) => {
    saved += bytes
    return saved + spareBytes >= 0
  })
  return removed < 0 ? 0 : rows.length - removed - 1
}

/** The rows of a body: the longest list among its members and those of `data`. */
function rowsOf(body: { readonly data?: unknown }): readonly unknown[] {
  const { data } = body
  const members = [
    ...Object.values(body),
    ...(typeof data === 'object' && data !== null ? Object.values(data) : []),
  ]
  const lists = members.filter((member) => Array.isArray(member))
  return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), [])
}

/** `_meta` is beside the data of a route, and below the fields of an operation. */
const FRESHNESS_DEPTH = 4

/** Agents often read the rows only, so each `_meta` of stale or expired data becomes a sentence. */
function lateNotices(value: unknown, depth: number): readonly string[] {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === '_meta' ? lateNotice(member) : lateNotices(member, depth - 1),
  )
}

function lateNotice(freshness: Partial<Record<string, unknown>> | null): readonly string[] {
  const { freshness_status: status, last_updated_at: updated, next_refresh_at: due } = freshness ?? {}
  if (status !== 'stale' && status !== 'expired') return []
  return [
    `These data are ${status}: the newest are of ${updated}, and newer ones were due at ${due}. Say so when you use them.`,
  ]
}
