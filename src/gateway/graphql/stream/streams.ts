import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { liveOf } from '../../../platform/request/follow-dataset.js'
import type { Place, Places } from '../../../platform/stream-places/places.js'
import { DEMO_STREAMS } from '../../../policy/limits.js'
import type { Price } from '../../../policy/price.js'
import { type Caller, type Principal, visitorNetworks } from '../../../policy/principal.js'
import type { GraphQLContext } from '../../../schema-kit/builder.js'
import type { CostlyOperations } from '../../http/limits/costly-operations.js'
import { type GatewayPlugin, operationIn, plannedContext } from '../operation-context.js'
import { priceOf } from '../plan/plan.js'
import { AccountMutex } from './account-mutex.js'
import { EventStream } from './event-stream.js'

/** A dashboard needs a few subscriptions. Each reads the database after every commit to its dataset. */
export const MAX_STREAMS_PER_ACCOUNT = 10

/** A subscription to open. Its context is that of the request. */
interface Opening {
  readonly args: ExecutionArgs
  readonly context: GraphQLContext
  readonly signal: AbortSignal
  readonly price: Price
}

/** Opens subscriptions, a limited number per account in all processes. Each event contains the data of the time when it is sent. */
export interface Streams {
  /** Throws 429 if the account has its maximum number of streams open in this process. */
  assertMayOpen(principal: Principal): void
  /** Returns the events, or a result with errors. Throws 429 if the account has its maximum number open in all processes. */
  open(opening: Opening): Promise<EventStream | ExecutionResult>
}

export interface StreamsOptions {
  readonly places: Places
  readonly costly: CostlyOperations
  readonly upgradeUrl: string | null
}

export function createStreams({ places, costly, upgradeUrl }: StreamsOptions): Streams {
  const mutex = new AccountMutex()
  const acquirePlace = async (principal: Principal): Promise<Place> => {
    if (principal.kind === 'anonymous') return { release: () => {} }
    const taken: Place[] = []
    const release = () => {
      for (const place of taken) place.release()
    }
    for (const bound of boundsOf(principal)) {
      const place = await places.take(bound.name, bound.limit)
      if (place === null) {
        release()
        throw bound.error()
      }
      taken.push(place)
    }
    return { release }
  }
  return {
    assertMayOpen: (principal) => {
      if (principal.kind === 'anonymous') return
      for (const { name, limit, error } of boundsOf(principal)) if (places.isFull(name, limit)) throw error()
    },
    open: async ({ args, context, signal, price }) => {
      const place = await acquirePlace(context.principal)
      let events: EventStream | null = null
      try {
        const source = await openWithPermit(args, context)
        if (!(Symbol.asyncIterator in source)) return source
        const acquireCostly = () => costly.acquire(price.values ?? 0, context.principal, context.now)
        const lockAccount = () => mutex.acquire(accountOf(context.principal))
        const options = { signal, place, price, lockAccount, acquireCostly, upgradeUrl }
        events = new EventStream(source, args, context, options)
        return events
      } finally {
        if (events === null) place.release()
      }
    },
  }
}

/** Opening a stream reads its first rows, so it needs a permit to run. */
async function openWithPermit(
  args: ExecutionArgs,
  context: GraphQLContext,
): Promise<AsyncIterable<unknown> | ExecutionResult> {
  const release = await liveOf(context).acquirePermit()
  try {
    return await createSourceEventStream(args)
  } finally {
    release()
  }
}

/** All callers without a key share one mutex. */
function accountOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? '' : principal.accountId
}

/** A number of streams that may be open under one name. */
interface Bound {
  readonly name: string
  readonly limit: number
  readonly error: () => ApiError
}

/** The bounds of a caller: the account's, or those of a visitor with the demo key, of the networks and of all visitors. */
function boundsOf(caller: Caller): readonly Bound[] {
  const { accountId, meterId, isDemo } = caller
  if (!isDemo)
    return [
      {
        name: `stream ${accountId}`,
        limit: MAX_STREAMS_PER_ACCOUNT,
        error: () =>
          tooMany(
            `An account may have at most ${MAX_STREAMS_PER_ACCOUNT} open subscriptions; close one first.`,
          ),
      },
    ]
  const [providerId, networkId] = visitorNetworks(caller)
  const ofNetwork = () =>
    tooMany('All subscriptions of your network with the demo key are in use; try again later, or sign in.')
  return [
    {
      name: `stream ${meterId}`,
      limit: DEMO_STREAMS.address,
      error: () =>
        tooMany(
          `A visitor with the demo key may have ${DEMO_STREAMS.address} open subscriptions; close one first.`,
        ),
    },
    { name: `stream ${networkId}`, limit: DEMO_STREAMS.network, error: ofNetwork },
    { name: `stream ${providerId}`, limit: DEMO_STREAMS.provider, error: ofNetwork },
    {
      name: `stream ${accountId}`,
      limit: DEMO_STREAMS.all,
      error: () =>
        tooMany('All subscriptions of visitors with the demo key are in use; try again later, or sign in.'),
    },
  ]
}

function tooMany(message: string): ApiError {
  return new ApiError('rate_limit_exceeded', { message })
}

/** Opens subscriptions, a limited number per account. */
export function useStreams(streams: Streams): GatewayPlugin {
  return {
    onContextBuilding: ({ context }) => {
      if (operationIn(context).operation.operation === 'subscription')
        streams.assertMayOpen(context.principal)
    },
    onSubscribe: ({ args, setSubscribeFn }) => {
      const context = plannedContext(args.contextValue)
      const { signal } = args.contextValue.request
      setSubscribeFn(() => streams.open({ args, context, signal, price: priceOf(context.plan) }))
    },
  }
}
