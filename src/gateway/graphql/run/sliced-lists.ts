import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { EventLoopBudget } from '../../../schema-kit/event-loop-budget.js'
import { COSTLY_VALUES } from '../../http/limits/costly-operations.js'
import { type GatewayPlugin, planIn } from '../operation-context.js'

/**
 * Makes the lists of a schema complete in slices in operations with a budget. Lists of objects with edges are excluded:
 * their rows load the edges together, and their pages are short.
 */
export function sliceLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) if (isSliceable(field)) slice(field)
  }
}

function isSliceable({ type }: GraphQLField<unknown, unknown>): boolean {
  const element = getNamedType(type)
  return isListType(getNullableType(type)) && isObjectType(element) && !hasEdges(element)
}

function hasEdges(type: GraphQLObjectType): boolean {
  return Object.values(type.getFields()).some(({ extensions }) => extensions.edge !== undefined)
}

interface SlicedContext {
  readonly budget?: EventLoopBudget
}

function slice(field: GraphQLField<unknown, SlicedContext>): void {
  const resolve = field.resolve ?? defaultFieldResolver
  field.resolve = (parent, args, context, info) => {
    const value: unknown = resolve(parent, args, context, info)
    const { budget } = context
    if (budget === undefined) return value
    return value instanceof Promise ? value.then((list) => spread(list, budget)) : spread(value, budget)
  }
}

function spread(value: unknown, budget: EventLoopBudget): unknown {
  return Array.isArray(value) ? budget.spread(value) : value
}

/** Gives a large operation an event loop budget, so that it completes its lists in slices between other requests. */
export function useSlicedLists(): GatewayPlugin {
  return {
    onExecute: ({ args, extendContext }) => {
      if ((planIn(args.contextValue).values ?? 0) > COSTLY_VALUES)
        extendContext({ budget: new EventLoopBudget() })
    },
  }
}
