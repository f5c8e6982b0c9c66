import type { ExecutionResult } from 'graphql'

/** A cursor has no character that could end the line. */
const CURSOR = /^[\w+/=.:-]{1,500}$/

/**
 * The result of an event, whose data are followed by the line `id:` with its cursor if the operation selects it. An EventSource
 * sends the id when it reconnects. On a WebSocket the result is the same as before.
 */
export function withEventId(result: ExecutionResult): ExecutionResult {
  const id = cursorOf(result)
  if (id === null) return result
  // graphql-yoga writes the data of an event by this function if it is there. JSON has no functions.
  const stringify = (plain: ExecutionResult) => `${JSON.stringify(plain)}\nid: ${id}`
  return Object.assign(result, { stringify })
}

function cursorOf({ data }: ExecutionResult): string | null {
  const [event] = Object.values(data ?? {})
  const cursor = typeof event === 'object' && event !== null && 'cursor' in event ? event.cursor : null
  return typeof cursor === 'string' && CURSOR.test(cursor) ? cursor : null
}
