import { type GatewayPlugin, operationIn, plannedContext } from '../operation-context.js'
import { priceOf } from '../plan/plan.js'
import type { Streams } from '../stream/streams.js'

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
