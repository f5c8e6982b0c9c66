import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../../platform/logger.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { cutOff } from './cut-off.js'
import { requestHeader } from './request-header.js'
import type { RequestTarget } from './request-target.js'

/** A client's request id is used if it is safe to log and to send back. */
const HARMLESS_ID = /^[\w.-]{8,64}$/

/** The parts of a request that node:http does not provide. */
export interface ReceivedRequest {
  readonly target: RequestTarget
  readonly body: Buffer | null
  readonly now: Date
  readonly startedAt: number
  readonly clientAddress: string
  readonly log: Logger
}

/** An exchange over node:http. `log` and `signal` are created on first use, because few requests need them. */
export class NodeExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly urlKey?: string
  readonly body: Buffer | null
  readonly requestId: string
  readonly now: Date
  readonly startedAt: number
  readonly clientAddress: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #parentLog: Logger
  #log: Logger | null = null
  #signal: AbortSignal | null = null

  constructor(request: IncomingMessage, response: ServerResponse, received: ReceivedRequest) {
    this.#request = request
    this.#response = response
    this.#parentLog = received.log
    this.method = request.method ?? 'GET'
    this.path = received.target.path
    this.search = received.target.search
    if (received.target.urlKey !== null) this.urlKey = received.target.urlKey
    this.body = received.body
    this.now = received.now
    this.startedAt = received.startedAt
    this.clientAddress = received.clientAddress
    const given = this.header('x-request-id')
    this.requestId = given !== null && HARMLESS_ID.test(given) ? given : randomUUID()
  }

  header(name: string): string | null {
    return requestHeader(this.#request, name)
  }

  whenSent(release: () => void, maxMs: number): void {
    callWhenSent(this.#response, release, maxMs)
  }

  get log(): Logger {
    this.#log ??= this.#parentLog.child({ request_id: this.requestId })
    return this.#log
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#response)
    return this.#signal
  }
}

function callWhenSent(response: ServerResponse, release: () => void, maxMs: number): void {
  if (response.closed || response.destroyed) {
    release()
    return
  }
  const late = setTimeout(() => cutOff(response), maxMs)
  response.once('close', () => {
    clearTimeout(late)
    release()
  })
}

function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.closed || response.destroyed) controller.abort()
  else response.once('close', () => controller.abort())
  return controller.signal
}
