import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

/** The certificate that receivers of tests have, which is its own authority. */
export const RECEIVER_CERTIFICATE = resolve(import.meta.dirname, '../tls/localhost.crt')

/** An event as it came. */
export interface ReceivedEvent {
  /** Path of the URL that it was sent to. */
  readonly path: string
  readonly id: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly atMs: number
  /** When the receiver began to answer 2xx; null: it did not. */
  acceptedAtMs: number | null
}

/** Answers an event; what is not answered hangs. `accept` answers 204 and notes it. */
export type ReceiverRule = (
  event: ReceivedEvent,
  response: ServerResponse,
  accept: () => void,
) => void | Promise<void>

/** A real receiver with TLS on this machine. */
export interface WebhookReceiver {
  readonly url: string
  /** In the order in which they came. */
  readonly events: readonly ReceivedEvent[]
  /** Most requests that were open at once, by path. */
  readonly mostAtOnce: ReadonlyMap<string, number>
  close(): Promise<void>
}

export async function startReceiver(
  rule: ReceiverRule = (_event, _response, accept) => accept(),
): Promise<WebhookReceiver> {
  const events: ReceivedEvent[] = []
  const open = new Map<string, number>()
  const mostAtOnce = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    const count = (open.get(path) ?? 0) + 1
    open.set(path, count)
    mostAtOnce.set(path, Math.max(mostAtOnce.get(path) ?? 0, count))
    response.once('close', () => open.set(path, (open.get(path) ?? 1) - 1))
    const body = await text(request)
    const { headers } = request
    const id = String(headers['webhook-id'])
    const event: ReceivedEvent = { path, id, headers, body, atMs: performance.now(), acceptedAtMs: null }
    events.push(event)
    await rule(event, response, () => {
      event.acceptedAtMs = performance.now()
      response.writeHead(204).end()
    })
  }
  const server = createServer(
    {
      cert: readFileSync(RECEIVER_CERTIFICATE),
      key: readFileSync(resolve(import.meta.dirname, '../tls/localhost.key')),
    },
    (request, response) => {
      // A sender that was killed in the middle of a request.
      answer(request, response).catch(() => response.destroy())
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  return {
    url: `https://localhost:${port}`,
    events,
    mostAtOnce,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Longest difference between the clocks of sender and receiver, as libraries of Standard Webhooks have it. */
const TOLERANCE_S = 300

/** Whether a signature of an event is by this secret: Standard Webhooks 1.0, written apart from the sender. */
export function isSignedBy(
  { headers, body }: Pick<ReceivedEvent, 'headers' | 'body'>,
  secret: string,
): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const timestamp = String(headers['webhook-timestamp'])
  if (!(Math.abs(Number(timestamp) - Date.now() / 1_000) < TOLERANCE_S)) return false
  const signed = `${headers['webhook-id']}.${timestamp}.${body}`
  const expected = createHmac('sha256', key).update(signed).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const [version, text = ''] = signature.split(',')
      const given = Buffer.from(text, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
}
