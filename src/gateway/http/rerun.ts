import { ApiError } from '../../core/errors.js'
import { versionsText } from '../../platform/database/versions/data-version.js'
import type { ReceiptClaims, ReceiptRequest } from '../../platform/receipts/receipt.js'
import type { PreparedRerun, ReceiptChecks } from '../../platform/receipts/receipts-port.js'
import { clockedInstants } from '../../platform/request/clocked-instants.js'
import type { Exchange } from '../../platform/request/exchange.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Transport } from '../../platform/request/transport.js'
import { GRAPHQL_PATH } from '../paths.js'
import { innerExchange } from './inner-exchange.js'

const NOT_STORED = 'The answer depends on more than stored data.'

interface Transports {
  readonly rest: Transport
  readonly graphql: Transport
}

/**
 * Prepares the request of a receipt for the caller who verifies it, with the instant of the receipt as the current time. If the
 * data have not changed since, the request runs as it was sent. Otherwise each of its fields must take an instant of knowledge.
 * The request of a key with a clock runs as of that clock.
 */
export function createRerun(transports: () => Transports): ReceiptChecks['prepare'] {
  return async ({ request, instant, clock, data_versions }, context) => {
    if (request === null)
      return 'The request had more than 4,096 bytes, so the receipt does not repeat it. Send it again yourself.'
    const now = new Date(instant)
    const { validity: _validity, live: _live, ...others } = context
    const { rest, graphql } = transports()
    const transport = request.target.startsWith(GRAPHQL_PATH) ? graphql : rest
    const asSent = { ...others, now }
    const asOf = { ...asSent, ...asOfReceipt(now, clock, context) }
    try {
      if (clock === null) {
        const prepared = await prepare(request, asSent, transport)
        if (prepared === null) return NOT_STORED
        if (versionsText(context.datasets, prepared.reads) === data_versions)
          return rerunOf(prepared, asSent, transport)
      }
      const then = await prepare(request, asOf, transport)
      return then === null ? NOT_STORED : rerunOf(then, asOf, transport)
    } catch (error) {
      if (error instanceof ApiError) return error.message
      throw error
    }
  }
}

/** The instant that the answer is as of. Without a clock that is the one of the request, by the basis that each field names. */
function asOfReceipt(
  instant: Date,
  clock: ReceiptClaims['clock'],
  { datasets }: RequestContext,
): Pick<RequestContext, 'clock'> {
  if (clock === null) return { clock: { at: instant, basis: 'observed', leavesBasis: true } }
  return clockedInstants({ at: new Date(clock.as_of), basis: clock.basis }, { arrivedAt: instant, datasets })
}

/** Null for an answer that depends on more than stored data. */
async function prepare(
  request: ReceiptRequest,
  context: RequestContext,
  transport: Transport,
): Promise<PreparedOperation | null> {
  const prepared = await transport.identify(exchangeOf(request, context)).prepare(context)
  if ('status' in prepared) return null
  return prepared.isCacheable && !prepared.isWaiting && prepared.price.discovers === 0 ? prepared : null
}

function exchangeOf(
  { method, target, accept, prefer, body }: ReceiptRequest,
  context: RequestContext,
): Exchange {
  const [path = '', ...query] = target.split('?')
  const headers = new Map([['content-type', 'application/json']])
  if (accept !== null) headers.set('accept', accept)
  if (prefer !== null) headers.set('prefer', prefer)
  const { now, clientAddress, log } = context
  // The outer request holds the permit, and its answer is the only one that is sent.
  const outer = { now, clientAddress, log, signal: new AbortController().signal, whenSent: () => {} }
  return innerExchange(outer, {
    method,
    path,
    search: query.length === 0 ? '' : `?${query.join('?')}`,
    headers,
    body: body === null ? null : Buffer.from(body),
  })
}

function rerunOf(prepared: PreparedOperation, context: RequestContext, transport: Transport): PreparedRerun {
  return {
    units: prepared.price.units,
    run: async () => JSON.parse(textOf(await prepared.run(context), transport)),
  }
}

function textOf({ json, bytes, body }: RunResult, transport: Transport): string {
  const data = bytes?.toString() ?? json
  if (data === null) return typeof body === 'function' ? body(null) : 'null'
  const { head, tail } = transport.frame(null)
  return head + data + tail
}
