import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql'
import { ApiError } from '../../core/errors.js'
import type { Principal } from '../../policy/principal.js'
import type { GraphQLContext } from '../builder.js'
import { graphqlErrorBody, publicErrorOf } from '../errors.js'
import type { Events } from './yoga.js'

/** One reader needs one; a dashboard a few. Each asks the database whenever something lands. */
export const MAX_STREAMS_PER_ACCOUNT = 10

/** What is opened: its context is the one of the request that opens it. */
interface Opening {
  readonly args: ExecutionArgs
  readonly context: GraphQLContext
  readonly signal: AbortSignal
}

/** Subscriptions: a few per account, each event with a context of its own, answered from what is true then. */
export interface Streams {
  /** Throws a 429 where the account has as many open as it may. */
  refuseMore(principal: Principal): void
  /** The events, or the errors of a subscription that could not be opened. */
  open(opening: Opening): Promise<Events | readonly GraphQLError[]>
}

export function createStreams(upgradeUrl: string): Streams {
  const open = new Map<string, number>()
  const refuseMore = (principal: Principal): void => {
    if (principal.kind === 'anonymous' || (open.get(principal.accountId) ?? 0) < MAX_STREAMS_PER_ACCOUNT)
      return
    throw new ApiError('rate_limit_exceeded', {
      message: `At most ${MAX_STREAMS_PER_ACCOUNT} subscriptions of an account may be open at a time; close one first.`,
    })
  }
  return {
    refuseMore,
    open: async ({ args, context, signal }) => {
      // Again: others may have opened while this one was charged.
      refuseMore(context.principal)
      const release = take(open, context.principal)
      try {
        const source = await createSourceEventStream(args)
        if (Symbol.asyncIterator in source) {
          return new EventStream(source[Symbol.asyncIterator](), args, context, {
            signal,
            release,
            upgradeUrl,
          })
        }
        release()
        return source.errors ?? []
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** Counts one more; the function counts it off, once. */
function take(open: Map<string, number>, principal: Principal): () => void {
  if (principal.kind === 'anonymous') return () => {}
  const { accountId } = principal
  open.set(accountId, (open.get(accountId) ?? 0) + 1)
  let isTaken = true
  return () => {
    if (!isTaken) return
    isTaken = false
    const left = (open.get(accountId) ?? 1) - 1
    if (left > 0) open.set(accountId, left)
    else open.delete(accountId)
  }
}

interface StreamOptions {
  readonly signal: AbortSignal
  readonly release: () => void
  readonly upgradeUrl: string
}

/** What a subscriber is sent. Ends with its source, or when the client goes away. */
class EventStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<unknown>
  readonly #args: ExecutionArgs
  readonly #context: GraphQLContext
  readonly #options: StreamOptions
  readonly #end = () => {
    this.#options.signal.removeEventListener('abort', this.#end)
    this.#context.live?.end()
    this.#options.release()
  }

  constructor(
    source: AsyncIterator<unknown>,
    args: ExecutionArgs,
    context: GraphQLContext,
    options: StreamOptions,
  ) {
    this.#source = source
    this.#args = args
    this.#context = context
    this.#options = options
    options.signal.addEventListener('abort', this.#end)
    if (options.signal.aborted) this.#end()
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    try {
      const event = await this.#source.next()
      if (!event.done) return { done: false, value: await this.#answer(event.value) }
      this.#end()
      return { done: true, value: undefined }
    } catch (error) {
      // The connection is cut: the reader comes back with its last cursor.
      this.#context.log.warn({ err: error }, 'subscription broke')
      this.#end()
      throw error
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#end()
    await this.#source.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #answer(event: unknown): Promise<ExecutionResult> {
    const contextValue = { ...this.#context, ...(await this.#context.live?.refresh()) }
    const result = await execute({ ...this.#args, rootValue: event, contextValue })
    return result.errors
      ? { ...result, errors: result.errors.map((error) => this.#publicError(error)) }
      : result
  }

  #publicError(error: GraphQLError): GraphQLError {
    const { log, requestId } = this.#context
    if (publicErrorOf(error).status >= 500) log.error({ err: error.originalError ?? error }, 'event failed')
    const { message, extensions } = graphqlErrorBody(error, requestId, this.#options.upgradeUrl)
    return new GraphQLError(message, { path: error.path ?? null, extensions })
  }
}
