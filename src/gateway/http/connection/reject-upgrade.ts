import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../../core/errors.js'
import type { Clock } from '../../../core/time.js'
import type { Logger } from '../../../platform/logger.js'
import type { Handle } from '../node.js'
import { NodeExchange } from './node-exchange.js'
import { parseTarget } from './request-target.js'
import { sendReply } from './send-reply.js'
import type { UnsentBytes } from './unsent-bytes.js'

export interface RefusedUpgrade {
  readonly handle: Handle
  readonly clock: Clock
  readonly log: Logger
  readonly clientAddress: string
  readonly unsent: UnsentBytes
  readonly problem: ApiError
}

/** Responds to an upgrade request with an error, like to any rejected request, and closes the connection. */
export function rejectUpgrade(request: IncomingMessage, socket: Duplex, refused: RefusedUpgrade): void {
  send(request, socket, refused).catch((error: unknown) => {
    refused.log.error({ err: error }, 'the error response to an upgrade failed')
    socket.destroy()
  })
}

async function send(
  request: IncomingMessage,
  socket: Duplex,
  { handle, clock, log, clientAddress, unsent, problem }: RefusedUpgrade,
): Promise<void> {
  if (!(socket instanceof Socket)) throw new Error('A connection is a socket of node:net or node:tls.')
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  response.shouldKeepAlive = false
  response.once('finish', () => socket.destroySoon())
  const received = {
    target: parseTarget(request),
    body: null,
    now: clock.now(),
    startedAt: performance.now(),
  }
  const exchange = new NodeExchange(request, response, { ...received, clientAddress, log })
  await sendReply(response, await handle(exchange, problem), { clientAddress, unsent, isHead: false })
}
