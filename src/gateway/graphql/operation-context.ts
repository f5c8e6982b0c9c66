import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Price } from '../../policy/price.js'
import type { GraphQLContext } from '../../schema-kit/builder.js'
import type { EventLoopBudget } from '../../schema-kit/event-loop-budget.js'
import type { OperationPlan } from '../../schema-kit/operation-plan.js'

/** Events of a subscription that is open. */
export type Events = AsyncIterableIterator<ExecutionResult>

/** What the plugins see: the services' context, and what the stages of an operation have made so far. */
export interface OperationContext extends RequestContext {
  /** Set by the parser. */
  document?: DocumentNode
  /** The operation of the document that is asked for; set once the document is valid. */
  operation?: OperationDefinitionNode
  /** Set while the context is built: who may ask what, and its price. */
  plan?: OperationPlan
  /** Set for a large operation, whose lists are completed a slice at a time. */
  budget?: EventLoopBudget
  /** What is given back of the price; set when the operation has run. */
  refund?: Price | null
}

/** Whether the document counts as that of a caller without a key: where only trusted documents run, none does. */
export type IsAnonymous = (context: Pick<RequestContext, 'principal'>) => boolean

/** A plugin of graphql-yoga or envelop, which types the context in its own way. */
export type ForeignPlugin = object

/** A plugin of the gateway's yoga instance. */
export type GatewayPlugin = Plugin<OperationContext, OperationContext>

/** The operation that is asked for. Throws before the document is valid: plugins read it while they build the context, or later. */
export function operationIn({ document, operation }: Pick<OperationContext, 'document' | 'operation'>) {
  if (document === undefined || operation === undefined) throw new Error('the document has not been read')
  return { document, operation }
}

/** The plan of the operation. Throws before the context is built. */
export function planIn({ plan }: Pick<OperationContext, 'plan'>): OperationPlan {
  if (plan === undefined) throw new Error('the operation has not been planned')
  return plan
}

/** The context as resolvers see it. Throws before it is built. */
export function plannedContext(context: OperationContext): GraphQLContext {
  planIn(context)
  return context as GraphQLContext // it has a plan
}
