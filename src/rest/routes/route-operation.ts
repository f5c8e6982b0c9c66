import { coerceInputValue, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
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

/** The document of a route is known at start, so it is compiled once. Mutations run in the executor. */
export function compileDocument(
  schema: GraphQLSchema,
  rootType: string,
  { document, operationName }: PreparedOperation,
): RunDocument {
  const compiled =
    rootType === 'Query'
      ? compileQuery(schema, document, operationName ?? '', { disablingCapturingStackErrors: true })
      : null
  if (compiled !== null && isCompiledQuery(compiled))
    return (context, values) => compiled.query(undefined, context, values)
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
