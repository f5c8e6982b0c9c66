import { ApiError } from '../../core/errors.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Made, Prepared } from '../../platform/request/transport.js'
import type { Price } from '../../policy/price.js'
import { logFailures } from '../run/outcome.js'
import { unplaced } from './error-text.js'
import type { WriteEvents } from './event-writers.js'
import { dryRun, operationNames, type PlannedOperation, priceOf, refusedRun } from './prepared-operation.js'
import type { Streams } from './streams.js'

/** A subscription that may be opened; charged when it is. */
export function preparedSubscription(
  planned: PlannedOperation,
  streams: Streams,
  write: WriteEvents,
): Prepared {
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
        return await open(planned, { streams, write }, price, context)
      } catch (error) {
        if (error instanceof ApiError) return refusedRun(planned, [unplaced(error)], price)
        throw error
      }
    },
  }
}

async function open(
  planned: PlannedOperation,
  { streams, write }: { readonly streams: Streams; readonly write: WriteEvents },
  price: Price,
  context: RequestContext,
): Promise<Made> {
  const { schema, document, operation, parameters, plan, exchange } = planned
  const contextValue = Object.assign(context, { plan })
  const { operationName, variables: variableValues } = parameters
  const args = { schema, document, operationName, variableValues, contextValue }
  const opened = await streams.open({ args, context: contextValue, signal: exchange.signal })
  if (!(Symbol.asyncIterator in opened)) {
    logFailures(opened, context.log)
    return refusedRun(planned, opened, price)
  }
  return { ...(await write(opened, operation, exchange)), isComplete: false, json: null, refund: null }
}
