import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ApiError } from '../../core/errors.js'
import type { Clock } from '../../core/time.js'
import type { Logger } from '../../platform/logger.js'
import type { Exchange, FinishedReply } from '../../platform/request/exchange.js'
import { NodeExchange } from './connection/node-exchange.js'
import { waitForEarlierResponses } from './connection/pipelined.js'
import { readBody } from './connection/read-body.js'
import { requestClientAddress } from './connection/request-client-address.js'
import { parseTarget, type RequestTarget } from './connection/request-target.js'
import { sendReply } from './connection/send-reply.js'
import { UnsentBytes } from './connection/unsent-bytes.js'
import type { HashAddress } from './identity/address-hash.js'

/** Handles a request. `problem` is why the request could not be read; it becomes the reply and counts like any request. */
export type Handle = (exchange: Exchange, problem: ApiError | null) => Promise<FinishedReply>

export interface NodeListenerOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly hashAddress: HashAddress
  /** Whether the process is stopping, so that each reply closes its connection. */
  readonly isDraining: () => boolean
  /** Shared with other listeners; default: a new one. */
  readonly unsent?: UnsentBytes
}

const UNREAD: RequestTarget = { path: '/', search: '', urlKey: null }

/** Converts between node's request and response and the pipeline's exchange and reply. */
export function createListener(handle: Handle, options: NodeListenerOptions): RequestListener {
  const { clock, log, hashAddress, isDraining, unsent = new UnsentBytes() } = options
  return (request, response) => {
    const startedAt = performance.now()
    const answer = async () => {
      if (response.socket === null) await waitForEarlierResponses(request, response)
      const reading = receive(request)
      const { target, body, problem } = reading instanceof Promise ? await reading : reading
      const clientAddress = requestClientAddress(request, hashAddress)
      const received = { target, body, now: clock.now(), startedAt, clientAddress, log }
      const reply = await handle(new NodeExchange(request, response, received), problem)
      if (isDraining()) response.shouldKeepAlive = false
      const sending = sendReply(response, reply, {
        clientAddress,
        unsent,
        isHead: request.method === 'HEAD',
      })
      if (sending instanceof Promise) await sending
    }
    answer().catch((error: unknown) => breakOff(response, error, log))
  }
}

interface ReceivedRequest {
  readonly target: RequestTarget
  readonly body: Buffer | null
  readonly problem: ApiError | null
}

function receive(request: IncomingMessage): ReceivedRequest | Promise<ReceivedRequest> {
  let target = UNREAD
  const refused = (error: unknown): ReceivedRequest => {
    if (error instanceof ApiError) return { target, body: null, problem: error }
    throw error
  }
  try {
    target = parseTarget(request)
    const reading = readBody(request)
    if (reading === null) return { target, body: null, problem: null }
    return reading.then((body) => ({ target, body, problem: null }), refused)
  } catch (error) {
    return refused(error)
  }
}

/** Closing the connection is the only way to report an error after a part of the body was sent. */
function breakOff(response: ServerResponse, error: unknown, log: Logger): void {
  if (!response.closed && !response.destroyed)
    log.error({ err: error }, 'the response failed while it was sent')
  response.destroy()
}
