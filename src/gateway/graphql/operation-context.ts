import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Price } from '../../policy/price.js'
import type { GraphQLContext } from '../../schema-kit/builder.js'
import type { EventLoopBudget } from '../../schema-kit/event-loop-budget.js'
import type { OperationPlan } from '../../schema-kit/operation-plan.js'

/** Events of an open subscription. */
export type Events = AsyncIterableIterator<ExecutionResult>

/** The context of plugins: that of the services, and the results of the stages that have run. */
export interface OperationContext extends RequestContext {
  /** Set by the parser. */
  document?: DocumentNode
  /** The requested operation of the document; set after validation. */
  operation?: OperationDefinitionNode
  /** Access and price of each field; set while the context is built. */
  plan?: OperationPlan
  /** Set for a large operation, whose lists are completed in slices. */
  budget?: EventLoopBudget
  /** The part of the price to refund; set after the run. */
  refund?: Price | null
}

/** Whether the limits for callers without a key apply to the document. They never apply to trusted documents. */
export type IsAnonymous = (context: Pick<RequestContext, 'principal'>) => boolean

/** A plugin of graphql-yoga or envelop with another type of context. */
export type ForeignPlugin = object

/** A plugin of the gateway's yoga instance. */
export type GatewayPlugin = Plugin<OperationContext, OperationContext>

/** Returns the requested operation. Throws before validation, so plugins may use it from context building on. */
export function operationIn({ document, operation }: Pick<OperationContext, 'document' | 'operation'>) {
  if (document === undefined || operation === undefined) throw new Error('the document has not been read')
  return { document, operation }
}

/** Returns the plan of the operation. Throws before the context is built. */
export function planIn({ plan }: Pick<OperationContext, 'plan'>): OperationPlan {
  if (plan === undefined) throw new Error('the operation has not been planned')
  return plan
}

/** Returns the context of resolvers. Throws before it is built. */
export function plannedContext(context: OperationContext): GraphQLContext {
  planIn(context)
  return context as GraphQLContext // `planIn` has checked that it has a plan
}
