import { coerceInputValue, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import type { GraphQLContext } from '../../graphql/builder.js'
import type { PlannedField } from '../../graphql/plan.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { ArgumentValues } from '../parameters/parameters.js'
import type { CompiledRoute } from './rest-route.js'
import type { PreparedOperation } from './sofa-documents.js'

/** The arguments of a route's root field as its resolver gets them: coerced, with their defaults. */
export function argumentsOf({ field }: CompiledRoute, values: ArgumentValues): ArgumentValues {
  const args: ArgumentValues = {}
  for (const { name, type, defaultValue } of field.args) {
    if (Object.hasOwn(values, name)) args[name] = coerceInputValue(values[name], type)
    else if (defaultValue !== undefined) args[name] = defaultValue
  }
  return args
}

/** Runs the document of a route for one request. */
export type RunDocument = (
  context: GraphQLContext,
  values: ArgumentValues,
) => ExecutionResult | PromiseLike<ExecutionResult>

/** The document of a route stays as it is, so it is parsed and checked once and then only executed. */
export function runnerOf(schema: GraphQLSchema, { document, operationName }: PreparedOperation): RunDocument {
  return (contextValue, variableValues) =>
    execute({ schema, document, operationName, contextValue, variableValues })
}

/** The context of a route's only root field: checked and priced by the route, so there is nothing left to plan. */
export function contextOf(context: RequestContext, planned: PlannedField): GraphQLContext {
  return {
    ...context,
    plan: {
      fields: new Map([[planned.field, planned]]),
      units: planned.units,
      introspects: false,
      reads: planned.endpoint.reads ?? [],
      isKeepable: false,
    },
  }
}
