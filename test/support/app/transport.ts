import { randomUUID } from 'node:crypto'
import type { Handle } from '../../../src/gateway/http/node.js'
import { createLogger, type Logger } from '../../../src/platform/logger.js'
import type { Exchange, Reply } from '../../../src/platform/request/exchange.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import type { Transport } from '../../../src/platform/request/transport.js'
import type { Principal } from '../../../src/policy/principal.js'

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** An exchange without a socket. */
export function exchangeOf(url: string, sent: Sent = {}, log: Logger = silent(), now = new Date()): Exchange {
  const headers = new Headers(sent.headers)
  const end = url.indexOf('?')
  return {
    method: sent.method ?? 'GET',
    path: end < 0 ? url : url.slice(0, end),
    search: end < 0 ? '' : url.slice(end),
    header: (name) => headers.get(name),
    body: sent.body === undefined ? null : Buffer.from(sent.body),
    signal: new AbortController().signal,
    whenSent: () => {},
    requestId: headers.get('x-request-id') ?? randomUUID(),
    now,
    startedAt: performance.now(),
    clientAddress: 'test',
    log,
  }
}

/** A transport without the pipeline: prepare and run, for a caller that may do everything it asks. */
export async function replyOf(
  transport: Transport,
  exchange: Exchange,
  context: Partial<RequestContext> & { readonly principal: Principal },
): Promise<Reply> {
  const given = { now: exchange.now, requestId: exchange.requestId, log: exchange.log, ...context }
  const own = given as RequestContext // what a test leaves out its schema does not use
  try {
    const prepared = await transport.identify(exchange).prepare(own)
    if ('status' in prepared) return prepared
    const made = await prepared.run(own)
    if (made.json === null)
      return { ...made, body: typeof made.body === 'function' ? made.body(null) : made.body }
    const { head, tail } = transport.frame(null)
    return { ...made, body: head + made.json + tail }
  } catch (error) {
    return transport.refuse(error, exchange)
  }
}

/** The transport in the place of the pipeline: its replies go out as they are. */
export function handleOf(
  transport: Transport,
  context: Partial<RequestContext> & { readonly principal: Principal },
): Handle {
  return async (exchange, problem) => {
    const reply =
      problem === null ? await replyOf(transport, exchange, context) : transport.refuse(problem, exchange)
    return { ...reply, headers: [...reply.headers] }
  }
}

/** A reply as fetch would give it; HEAD has no body. */
export async function responseOf({ status, headers, body }: Reply, method: string): Promise<Response> {
  const fields = new Headers()
  for (let at = 0; at < headers.length; at += 2) fields.append(headers[at] ?? '', headers[at + 1] ?? '')
  if (body === null || method === 'HEAD') return new Response(null, { status, headers: fields })
  if (typeof body === 'string' || Buffer.isBuffer(body))
    return new Response(body.toString(), { status, headers: fields })
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return new Response(Buffer.concat(chunks).toString(), { status, headers: fields })
}

function silent(): Logger {
  return createLogger('fatal', { write: () => {} })
}
