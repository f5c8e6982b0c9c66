import { ApiError } from '../../core/errors.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Made, Prepared } from '../../platform/request/transport.js'
import type { Price } from '../../policy/price.js'
import { logFailures } from '../run/outcome.js'
import { unplaced } from './error-text.js'
import { dryRun, operationNames, type PlannedOperation, priceOf, refusedRun } from './prepared-operation.js'
import { bytesOf, type Streams } from './streams.js'

/** A subscription that may be opened; charged when it is. */
export function preparedSubscription(planned: PlannedOperation, streams: Streams): Prepared {
  const { plan } = planned
  const price = priceOf(plan)
  return {
    operation: operationNames(plan),
    price,
    reads: [],
    isCacheable: false,
    isWaiting: true,
    dryRun: (cost) => dryRun(planned, price, cost),
    run: async (context) => {
      try {
        return await open(planned, streams, price, context)
      } catch (error) {
        if (error instanceof ApiError) return refusedRun(planned, [unplaced(error)], price)
        throw error
      }
    },
  }
}

async function open(
  planned: PlannedOperation,
  streams: Streams,
  price: Price,
  context: RequestContext,
): Promise<Made> {
  const { schema, document, operation, parameters, plan, exchange } = planned
  const contextValue = Object.assign(context, { plan })
  const { operationName, variables: variableValues } = parameters
  const args = { schema, document, operationName, variableValues, contextValue }
  const opened = await streams.open({ args, operation, context: contextValue, signal: exchange.signal })
  if (!(opened instanceof Object && 'body' in opened)) {
    logFailures(opened, context.log)
    return refusedRun(planned, opened, price)
  }
  const headers = [...opened.headers].flatMap(([name, value]) => (HOP_BY_HOP.has(name) ? [] : [name, value]))
  return { status: opened.status, headers, json: null, body: bytesOf(opened, exchange.signal), refund: null }
}

/** Node's server speaks for its own connection. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])
