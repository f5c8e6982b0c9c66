import { ApiError } from '../../../core/errors.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation, RunResult } from '../../../platform/request/transport.js'
import type { Price } from '../../../policy/price.js'
import { priceOf } from '../plan/plan.js'
import { logFailures } from '../run/outcome.js'
import { withoutPath } from './error-text.js'
import type { WriteEvents } from './event-writers.js'
import { type AnswerableOperation, dryRun, operationNames, refusedRun } from './prepared-operation.js'

/** Prepares a subscription. Its first event is charged when it opens. */
export function preparedSubscription(planned: AnswerableOperation, write: WriteEvents): PreparedOperation {
  const { plan } = planned.runnable
  const price = priceOf(plan)
  return {
    operation: operationNames(plan),
    price,
    values: 0, // each event acquires its own permit
    reads: [],
    isCacheable: false,
    isWaiting: true,
    dryRun: (cost) => dryRun(planned, price, cost),
    run: async (context) => {
      try {
        return await open(planned, write, price, context)
      } catch (error) {
        if (error instanceof ApiError) return refusedRun(planned, [withoutPath(error)], price)
        throw error
      }
    },
  }
}

async function open(
  planned: AnswerableOperation,
  write: WriteEvents,
  price: Price,
  context: RequestContext,
): Promise<RunResult> {
  const { runnable, exchange } = planned
  const opened = await runnable.subscribe(context)
  if (!(Symbol.asyncIterator in opened)) {
    const errors = opened.errors ?? []
    logFailures(errors, context.log)
    return refusedRun(planned, errors, price)
  }
  return { ...(await write(opened, exchange)), isComplete: false, json: null, refund: null }
}
