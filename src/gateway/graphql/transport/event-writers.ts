import type { Exchange } from '../../../platform/request/exchange.js'
import type { RunResult } from '../../../platform/request/transport.js'
import type { GatewayYoga } from '../gateway-yoga.js'
import type { Events } from '../operation-context.js'
import { RESPONSE_JSON } from './accept.js'

/** Makes the reply of a subscription that is open: its body ends with the events, or when the client goes away. */
export type WriteEvents = (
  events: Events,
  exchange: Exchange,
) => Promise<Pick<RunResult, 'status' | 'headers' | 'body'>>

/** Events as messages where the connection carries such, else as server-sent events. */
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

/** Node's server sets the headers of its own connection. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])

/** One part per event; the next event is made when the reader wants it. */
async function* messagesOf(events: Events): AsyncGenerator<Uint8Array, void> {
  for await (const event of events) yield Buffer.from(JSON.stringify(event))
}

/** The bytes of a stream; ends when the client goes away. */
async function* bytesOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => {}) // it has ended already
  signal.addEventListener('abort', cancel, { once: true })
  try {
    if (signal.aborted) return
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}
