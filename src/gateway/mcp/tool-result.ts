import type { CallToolResult } from '@modelcontextprotocol/server'

/** Largest result of a tool, bytes. Agents cannot use larger ones: they can request fewer rows or another page. */
export const MAX_RESULT_BYTES = 1024 * 1024

/** A failed call. The agent reads the text. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** A result as JSON text and as an object; an error if it has more bytes than the agent accepts. */
export function jsonResult(text: string, maxBytes: number): CallToolResult {
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes)
    return errorResult(
      `The result has ${bytes} bytes, and at most ${maxBytes} are accepted. Set a smaller limit or a shorter range.`,
    )
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
}
