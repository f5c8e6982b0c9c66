import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
} from 'graphql'
import { ApiError } from '../core/errors.js'
import type { GraphQLContext } from '../graphql/builder.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { graphqlErrorBody, publicErrorOf, refused } from '../graphql/errors.js'
import type { DoorContext } from '../platform/door-context.js'

/** One reader needs one; a dashboard a few. Each asks the database whenever something lands. */
export const MAX_STREAMS_PER_ACCOUNT = 10

type StreamContext = GraphQLContext & DoorContext & { readonly request: Request }

/**
 * Runs subscriptions: server-sent events only, a few per account, each event with a context of its own, so that it is
 * answered from what is true then and nothing piles up in the loaders. Errors of an event have the public form.
 */
export function useStreams(options: { readonly upgradeUrl: string }): DoorPlugin {
  const open = new Map<string, number>()
  return {
    onSubscribe({ args, setSubscribeFn, setResultAndStopExecution }) {
      const context = args.contextValue as unknown as StreamContext // server context and request context in one
      const refusal = refusalOf(context, open)
      if (refusal !== null) setResultAndStopExecution(refused(refusal))
      else setSubscribeFn((given: ExecutionArgs) => subscribe(given, context, open, options.upgradeUrl))
    },
  }
}

function refusalOf(
  { request, principal }: StreamContext,
  open: ReadonlyMap<string, number>,
): ApiError | null {
  const accept = request.headers.get('accept') ?? '*/*'
  if (!/text\/event-stream|text\/\*|\*\/\*/i.test(accept)) {
    return new ApiError('not_acceptable', { message: 'A subscription is answered as text/event-stream.' })
  }
  // Who has no key is refused by the plan.
  if (principal.kind === 'anonymous') return null
  if ((open.get(principal.accountId) ?? 0) < MAX_STREAMS_PER_ACCOUNT) return null
  return new ApiError('rate_limit_exceeded', {
    message: `At most ${MAX_STREAMS_PER_ACCOUNT} subscriptions of an account may be open at a time; close one first.`,
  })
}

async function subscribe(
  args: ExecutionArgs,
  context: StreamContext,
  open: Map<string, number>,
  upgradeUrl: string,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  // Asked again: others may have opened while this one was charged.
  const refusal = refusalOf(context, open)
  if (refusal !== null) return refused(refusal)
  const release = take(open, context)
  try {
    const source = await createSourceEventStream(args)
    if (Symbol.asyncIterator in source) {
      return new EventStream(source[Symbol.asyncIterator](), args, context, { release, upgradeUrl })
    }
    release()
    return source
  } catch (error) {
    release()
    throw error
  }
}

function take(open: Map<string, number>, { principal }: StreamContext): () => void {
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

/** What a subscriber is sent. Ends with its source, when the caller goes, or when it is told to. */
class EventStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<unknown>
  readonly #args: ExecutionArgs
  readonly #context: StreamContext
  readonly #options: { readonly release: () => void; readonly upgradeUrl: string }
  readonly #end = () => {
    this.#context.request.signal.removeEventListener('abort', this.#end)
    this.#context.live?.end()
    this.#options.release()
  }

  constructor(
    source: AsyncIterator<unknown>,
    args: ExecutionArgs,
    context: StreamContext,
    options: { readonly release: () => void; readonly upgradeUrl: string },
  ) {
    this.#source = source
    this.#args = args
    this.#context = context
    this.#options = options
    context.request.signal.addEventListener('abort', this.#end)
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
