import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isListType,
  Kind,
} from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { mergeParts } from '../../../platform/database/versions/data-parts.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { requireAccess } from '../../../policy/decide.js'
import { FREE, type Price } from '../../../policy/price.js'
import { endpointOf, readsOfCall, unitsOf } from '../../../schema-kit/endpoint.js'
import {
  type MergedField,
  type OperationPlan,
  type PlannedField,
  placeBelow,
} from '../../../schema-kit/operation-plan.js'
import { atClock, knowledgeOf, loadReleases } from '../../../schema-kit/pinned-release.js'
import { type GatewayPlugin, operationIn } from '../operation-context.js'
import { assertOperationSize } from './budget.js'
import { type EdgeScope, measureRoot, pageLimit } from './plan-edges.js'
import { releaseReferences } from './release-references.js'
import { fieldsByKey, objectTypesOf } from './selections.js'

function chargedFields(plan: OperationPlan): readonly { readonly field: string; readonly units: number }[] {
  return [...plan.fields.values()].flatMap(({ field, units }) => (units > 0 ? [{ field, units }] : []))
}

/** The price of an operation, with the maximum number of values in its response. */
export function priceOf(plan: OperationPlan): Price {
  const { values = 0 } = plan
  if (plan.units === 0) return { ...FREE, values }
  const discovers = [...plan.fields.values()].filter(
    ({ endpoint, units }) => endpoint.cost === 'discover' && units > 0,
  )
  return { fields: chargedFields(plan), units: plan.units, discovers: discovers.length, values }
}

/**
 * Checks access and arguments of every root field and nested edge, and prices the operation. Reads and charges nothing.
 * Returns null if the variables are invalid.
 */
export async function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  inputs: Readonly<Record<string, unknown>> | null | undefined,
  context: RequestContext,
): Promise<OperationPlan | null> {
  const operation = getOperationAST(document, operationName)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) return null
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], inputs ?? {})
  if (!coerced) return null
  const references = releaseReferences(document, coerced)
  if (references.length > 0) await loadReleases(references, context)
  const scope: EdgeScope = {
    places: { below: new Map() },
    schema,
    fragments: fragmentsOf(document),
    variables: coerced,
    context,
    totals: { values: 0, reads: new Set() },
  }
  const fields = new Map<string, PlannedField>()
  let introspects = false
  const selected = [...fieldsByKey([operation.selectionSet], root, scope)].flatMap(([key, nodes]) => {
    const name = nodes[0].name.value
    if (name === '__schema' || name === '__type') introspects = true
    const definition = root.getFields()[name]
    return definition ? [{ key, nodes, definition }] : []
  })
  // Checks that read run together, so that a loader combines their reads.
  const checked = await Promise.all(
    selected.map(async (one) => ({ one, check: await checkField(one, context, coerced) })),
  )
  for (const { one, check } of checked) fields.set(one.key, planField(one, check, scope))
  let units = 0
  for (const field of fields.values()) units += field.units
  const isQuery = operation.operation === 'query'
  const isOfDatasets = [...fields.values()].every(({ endpoint }) => endpoint.reads !== null)
  return {
    fields,
    units,
    introspects,
    reads: operation.operation === 'mutation' ? [] : mergeParts(scope.totals.reads),
    isCacheable: isQuery && !introspects && isOfDatasets && fields.size > 0,
    places: scope.places,
    values: scope.totals.values,
  }
}

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  return fragments
}

interface SelectedField {
  readonly key: string
  readonly nodes: MergedField
  readonly definition: ReturnType<GraphQLObjectType['getFields']>[string]
}

type FieldCheck =
  | { readonly args: Readonly<Record<string, unknown>>; readonly input: unknown }
  | { readonly error: unknown }

async function checkField(
  { nodes, definition }: SelectedField,
  context: RequestContext,
  variables: EdgeScope['variables'],
): Promise<FieldCheck> {
  const endpoint = endpointOf(definition)
  try {
    requireAccess(context.principal, endpoint.access)
    const given = getArgumentValues(definition, nodes[0], variables)
    const args = atClock(given, definition, endpoint, context)
    return { args, input: await endpoint.check(args, context) }
  } catch (error) {
    return { error }
  }
}

function planField(
  { key, nodes, definition }: SelectedField,
  checked: FieldCheck,
  scope: EdgeScope,
): PlannedField {
  const declared = endpointOf(definition)
  const field = definition.name
  if ('error' in checked) return { field, endpoint: declared, error: checked.error, units: 0 }
  const { args, input } = checked
  const narrowed = declared.forInput?.(input)
  const endpoint = narrowed ?? declared
  Object.assign(placeBelow(scope.places, [key]), knowledgeOf(args))
  try {
    const rows = endpoint.rows?.(input, scope.context) ?? pageLimit(args)
    const type = getNamedType(definition.type)
    scope.totals.values += 1
    for (const part of readsOfCall(endpoint, input, scope.context)) scope.totals.reads.add(part)
    const asset = endpoint.assetOf?.(input) ?? null
    const place = {
      ...{ rows, key, asset },
      isList: isListType(getNullableType(definition.type)),
      isAbstract: isAbstractType(type),
    }
    let edges = 0
    for (const objectType of objectTypesOf(type, scope.schema))
      if (narrowed?.types?.has(objectType.name) ?? true) edges += measureRoot(nodes, objectType, place, scope)
    const units = unitsOf(endpoint, input, scope.context)
    return { field, endpoint, input, units: units === 0 ? 0 : units + edges }
  } catch (error) {
    return { field, endpoint, error, units: 0 }
  }
}

/** Plans the operation before it runs: access, arguments and price of each root field and edge. */
export function usePlan(schema: GraphQLSchema): GatewayPlugin {
  return {
    onContextBuilding: async ({ context, extendContext }) => {
      const { document } = operationIn(context)
      const { operationName, variables } = context.params
      const plan = await planOperation(schema, document, operationName, variables, context)
      if (plan === null)
        throw new ApiError('bad_request', {
          message: 'The variables do not match the operation; check their names and types.',
        })
      assertOperationSize(plan.values ?? 0)
      extendContext({ plan })
    },
  }
}
