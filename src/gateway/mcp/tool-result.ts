import type { CallToolResult } from '@modelcontextprotocol/server'

/** Largest result of a tool, bytes. Agents cannot use larger ones: they can request fewer rows or another page. */
export const MAX_RESULT_BYTES = 1024 * 1024

/** A failed call. The agent reads the text. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** A result as JSON text and as an object, and a sentence if its data are late; an error if it has more bytes than the agent accepts. */
export function jsonResult(text: string, maxBytes: number): CallToolResult {
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes)
    return errorResult(
      `The result has ${bytes} bytes, and at most ${maxBytes} are accepted. Set a smaller limit or a shorter range.`,
    )
  const structuredContent = JSON.parse(text)
  const notices = new Set(lateNotices(structuredContent, FRESHNESS_DEPTH))
  const texts = [text, ...notices]
  return { content: texts.map((part) => ({ type: 'text', text: part })), structuredContent }
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
