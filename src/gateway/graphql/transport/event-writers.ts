import type { Exchange } from '../../../platform/request/exchange.js'
import type { RunResult } from '../../../platform/request/transport.js'
import type { GatewayYoga } from '../gateway-yoga.js'
import type { Events } from '../operation-context.js'
import { RESPONSE_JSON } from './accept.js'

/** Creates the reply of an open subscription. Its body ends with the events, or when the client disconnects. */
export type WriteEvents = (
  events: Events,
  exchange: Exchange,
) => Promise<Pick<RunResult, 'status' | 'headers' | 'body'>>

/** Writes events as messages if the connection supports messages, else as server-sent events. */
export function createWriteEvents(yoga: Pick<GatewayYoga, 'sendEvents'>): WriteEvents {
  return async (events, exchange) => {
    if (exchange.takesMessages)
      return { status: 200, headers: ['content-type', RESPONSE_JSON], body: messagesOf(events) }
    const response = await yoga.sendEvents(events, exchange.signal)
    const headers = [...response.headers].flatMap(([name, value]) =>
      HOP_BY_HOP.has(name) ? [] : [name, value],
    )
    return { status: response.status, headers, body: bytesOf(response, exchange.signal) }
  }
}

/** Node's server sets these headers itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])

/** Yields one part per event. The next event is computed when the reader requests it. */
async function* messagesOf(events: Events): AsyncGenerator<Uint8Array, void> {
  for await (const event of events) yield Buffer.from(JSON.stringify(event))
}

/** Yields the bytes of a stream. Ends when the client disconnects. */
async function* bytesOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => {}) // rejects if the stream has failed
  signal.addEventListener('abort', cancel, { once: true })
  try {
    if (signal.aborted) return
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}
