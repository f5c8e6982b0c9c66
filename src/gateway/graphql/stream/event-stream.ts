import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError } from 'graphql'
import type { ApiError } from '../../../core/errors.js'
import { liveOf } from '../../../platform/request/follow-dataset.js'
import type { LiveRequest } from '../../../platform/request/request-context.js'
import type { Place } from '../../../platform/stream-places/places.js'
import type { Price } from '../../../policy/price.js'
import type { GraphQLContext } from '../../../schema-kit/builder.js'
import { EventLoopBudget } from '../../../schema-kit/event-loop-budget.js'
import { COSTLY_VALUES } from '../../http/limits/costly-operations.js'
import { graphqlErrorBody, toPublicError } from '../errors.js'
import { computeRefund } from '../run/outcome.js'
import { withEventId } from './event-id.js'
import { type EventAnswer, meteredEvents } from './metered-events.js'

interface StreamOptions {
  readonly signal: AbortSignal
  readonly place: Place
  readonly price: Price
  readonly lockAccount: () => Promise<() => void>
  readonly acquireCostly: () => () => void
  readonly upgradeUrl: string | null
}

/** The events for one subscriber. Ends with its source, or when the client disconnects. */
export class EventStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #answers: AsyncGenerator<ExecutionResult, void>
  readonly #args: ExecutionArgs
  readonly #context: GraphQLContext
  readonly #live: LiveRequest
  readonly #options: StreamOptions
  readonly #end = () => {
    this.#options.signal.removeEventListener('abort', this.#end)
    this.#live.end()
    this.#options.place.release()
  }

  constructor(
    source: AsyncIterable<unknown>,
    args: ExecutionArgs,
    context: GraphQLContext,
    options: StreamOptions,
  ) {
    this.#args = args
    this.#context = context
    this.#live = liveOf(context)
    this.#options = options
    const { price, lockAccount, acquireCostly } = options
    this.#answers = meteredEvents(source, {
      ...{ live: this.#live, price, lockAccount, acquireCostly },
      answer: (event) => this.#answer(event),
      refuse: (error) => this.#refusal(error),
    })
    options.signal.addEventListener('abort', this.#end)
    if (options.signal.aborted) this.#end()
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    try {
      const answer = await this.#answers.next()
      if (!answer.done) return answer
      this.#end()
      return { done: true, value: undefined }
    } catch (error) {
      // The connection is closed, and the client reconnects with its last cursor.
      this.#context.log.warn({ err: error }, 'subscription broke')
      this.#end()
      throw error
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#end()
    await this.#answers.return()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #answer(event: unknown): Promise<EventAnswer<ExecutionResult>> {
    const isCostly = (this.#options.price.values ?? 0) > COSTLY_VALUES
    const budget = isCostly ? { budget: new EventLoopBudget() } : {}
    const contextValue = {
      ...this.#context,
      ...(await this.#live.refresh()),
      ...budget,
    }
    const result = await execute({ ...this.#args, rootValue: event, contextValue })
    const { errors } = result
    if (errors === undefined) return { answer: withEventId(result), refund: null }
    const answer = withEventId({ ...result, errors: errors.map((error) => this.#publicError(error)) })
    return { answer, refund: computeRefund(this.#context.plan, result, errors) }
  }

  #refusal(error: ApiError): ExecutionResult {
    return { errors: [this.#publicError(new GraphQLError(error.message, { originalError: error }))] }
  }

  #publicError(error: GraphQLError): GraphQLError {
    const { log, requestId } = this.#context
    if (toPublicError(error).status >= 500) log.error({ err: error.originalError ?? error }, 'event failed')
    const { message, extensions } = graphqlErrorBody(error, requestId, this.#options.upgradeUrl)
    return new GraphQLError(message, { path: error.path ?? null, extensions })
  }
}
