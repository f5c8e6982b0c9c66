import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import type { Place, Places } from '../../../platform/counters/places/places.js'
import { liveOf } from '../../../platform/request/follow-dataset.js'
import type { Price } from '../../../policy/price.js'
import type { Principal } from '../../../policy/principal.js'
import type { GraphQLContext } from '../../../schema-kit/builder.js'
import type { CostlyOperations } from '../run/costly-operations.js'
import { AccountMutex } from './account-mutex.js'
import { EventStream } from './event-stream.js'

/** One reader needs one; a dashboard a few. Each asks the database whenever something lands. */
export const MAX_STREAMS_PER_ACCOUNT = 10

/** What is opened: its context is the one of the request that opens it. */
interface Opening {
  readonly args: ExecutionArgs
  readonly context: GraphQLContext
  readonly signal: AbortSignal
  /** Of each event. */
  readonly price: Price
}

/** Opens subscriptions, a few per account over all processes. Each event is answered from the data of the moment when it is sent. */
export interface Streams {
  /** Throws a 429 where this process has as many of the account open as it may have. */
  refuseMore(principal: Principal): void
  /** The events, or the result of a subscription that could not be opened. Throws a 429 where all processes together have as many open. */
  open(opening: Opening): Promise<EventStream | ExecutionResult>
}

export interface StreamsOptions {
  readonly places: Places
  readonly costly: CostlyOperations
  readonly upgradeUrl: string
}

export function createStreams({ places, costly, upgradeUrl }: StreamsOptions): Streams {
  const turns = new AccountMutex()
  const take = async (principal: Principal): Promise<Place> => {
    if (principal.kind === 'anonymous') return { release: () => {} }
    const place = await places.take(nameOf(principal.accountId), MAX_STREAMS_PER_ACCOUNT)
    if (place === null) throw tooMany()
    return place
  }
  return {
    refuseMore: (principal) => {
      if (principal.kind === 'anonymous') return
      if (places.isFull(nameOf(principal.accountId), MAX_STREAMS_PER_ACCOUNT)) throw tooMany()
    },
    open: async ({ args, context, signal, price }) => {
      const place = await take(context.principal)
      let events: EventStream | null = null
      try {
        const source = await openInPlace(args, context)
        if (!(Symbol.asyncIterator in source)) return source
        const begin = () => costly.enter(price.values ?? 0, context.principal, context.now)
        const takeTurn = () => turns.acquire(accountOf(context.principal))
        const options = { signal, place, price, takeTurn, begin, upgradeUrl }
        events = new EventStream(source, args, context, options)
        return events
      } finally {
        if (events === null) place.release()
      }
    },
  }
}

/** A stream reads what it begins with when it is opened. */
async function openInPlace(
  args: ExecutionArgs,
  context: GraphQLContext,
): Promise<AsyncIterable<unknown> | ExecutionResult> {
  const leave = await liveOf(context).enter()
  try {
    return await createSourceEventStream(args)
  } finally {
    leave()
  }
}

/** Callers without a key take turns together. */
function accountOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? '' : principal.accountId
}

function nameOf(accountId: string): string {
  return `stream ${accountId}`
}

function tooMany(): ApiError {
  return new ApiError('rate_limit_exceeded', {
    message: `An account may have at most ${MAX_STREAMS_PER_ACCOUNT} open subscriptions; close one first.`,
  })
}
