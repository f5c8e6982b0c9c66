import { BoundError } from './errors.js'

/** One server-sent event. Comments, which keep the connection alive, have no data. */
interface SentEvent {
  readonly name: string
  readonly data: string
}

/**
 * Parses the events of a body in the form that the gateway writes. Calls `alive` for all received data. Reads the body no
 * faster than the caller reads events.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  alive: () => void,
): AsyncGenerator<SentEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      alive()
      const blocks = (rest + decoder.decode(part.value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > maxBytes) throw new BoundError(`An event has more than ${maxBytes} bytes (maxBytes).`)
      for (const block of blocks) yield* eventsOf(block)
    }
  } finally {
    await reader.cancel().catch(() => {}) // it may be broken already
  }
}

function eventsOf(block: string): readonly SentEvent[] {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
  if (lines.length === 0) return []
  const valuesOf = (field: string) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''))
  return [{ name: valuesOf('event')[0] ?? 'message', data: valuesOf('data').join('\n') }]
}
