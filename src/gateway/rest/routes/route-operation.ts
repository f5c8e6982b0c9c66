import { coerceInputValue } from 'graphql'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { FREE, type Price } from '../../../policy/price.js'
import type { GraphQLContext } from '../../../schema-kit/builder.js'
import { unitsOf } from '../../../schema-kit/endpoint.js'
import type { PlannedField } from '../../../schema-kit/operation-plan.js'
import { knowledgeOf } from '../../../schema-kit/pinned-release.js'
import { ROW_VALUES } from '../../graphql/plan/budget.js'
import { pageLimit } from '../../graphql/plan/plan-edges.js'
import type { ArgumentValues } from '../parameters/parameters.js'
import type { CompiledRoute } from './rest-route.js'

/** Coerces the arguments of a route's root field and adds defaults, as GraphQL does for resolvers. */
export function toFieldArguments({ field }: CompiledRoute, values: ArgumentValues): ArgumentValues {
  const args: ArgumentValues = {}
  for (const { name, type, defaultValue } of field.args) {
    if (Object.hasOwn(values, name)) args[name] = coerceInputValue(values[name], type)
    else if (defaultValue !== undefined) args[name] = defaultValue
  }
  return args
}

/** The price of a call with a checked input. */
export function routePriceOf(
  { endpoint, field }: CompiledRoute,
  input: unknown,
  context: RequestContext,
): Price {
  const units = unitsOf(endpoint, input, context)
  if (units === 0) return FREE
  return {
    fields: [{ field: field.name, units }],
    units,
    discovers: endpoint.cost === 'discover' ? 1 : 0,
  }
}

/** Maximum number of rows in the response; 0 for a response without rows. */
export function routeRowsOf(
  { endpoint }: CompiledRoute,
  args: ArgumentValues,
  input: unknown,
  context: RequestContext,
): number {
  return endpoint.rows?.(input, context) ?? pageLimit(args) ?? 0
}

/** The number of values in so many rows, counted as for GraphQL. */
export function routeValuesOf({ table }: CompiledRoute, rows: number): number {
  return rows * ((table?.columns.length ?? 0) + ROW_VALUES)
}

/** Creates the context of a route's root field. The route has already checked and priced it, so the plan is complete. */
export function createRouteContext(
  context: RequestContext,
  planned: PlannedField & { readonly input: unknown },
  args: ArgumentValues,
  values: number,
): GraphQLContext {
  const knowledge = knowledgeOf(args)
  return {
    ...context,
    plan: {
      fields: new Map([[planned.field, planned]]),
      units: planned.units,
      introspects: false,
      reads: planned.endpoint.reads ?? [],
      isCacheable: false,
      ...(knowledge.release === null && !knowledge.isPublished
        ? {}
        : { places: { below: new Map([[planned.field, { ...knowledge, below: new Map() }]]) } }),
      values,
    },
  }
}
