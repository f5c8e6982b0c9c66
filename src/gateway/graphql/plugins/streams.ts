import { type GatewayPlugin, operationIn, plannedContext } from '../operation-context.js'
import { priceOf } from '../plan/plan.js'
import type { Streams } from '../stream/streams.js'

/** Opens subscriptions: a few per account, each event answered from what is true when it is sent. */
export function useStreams(streams: Streams): GatewayPlugin {
  return {
    onContextBuilding: ({ context }) => {
      if (operationIn(context).operation.operation === 'subscription') streams.refuseMore(context.principal)
    },
    onSubscribe: ({ args, setSubscribeFn }) => {
      const context = plannedContext(args.contextValue)
      const { signal } = args.contextValue.request // the client goes away
      setSubscribeFn(() => streams.open({ args, context, signal, price: priceOf(context.plan) }))
    },
  }
}
