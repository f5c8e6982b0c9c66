import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isObjectType,
  Kind,
} from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { requireAccess } from '../policy/decide.js'
import { type EndpointSpec, endpointOf } from './endpoint.js'
import { type EdgePlan, type EdgeScope, measureRoot, pageLimit } from './plan-edges.js'
import { fieldsByKey, type MergedField } from './selections.js'

/** A root field of the operation: ready to run with its parsed input, or refused already. */
export type PlannedField =
  | {
      readonly field: string
      readonly endpoint: EndpointSpec
      readonly units: number
      readonly input: unknown
    }
  | { readonly field: string; readonly endpoint: EndpointSpec; readonly units: 0; readonly error: unknown }

/** What an operation will run and what it costs, made before anything runs or is charged. */
export interface OperationPlan {
  /** By response key (the alias where one is given). */
  readonly fields: ReadonlyMap<string, PlannedField>
  /** Sum of the units of the fields that will run. */
  readonly units: number
  /** The operation asks for the schema itself. */
  readonly introspects: boolean
  /** The datasets its answer is made from. */
  readonly reads: readonly DatasetName[]
  /** Whether it is made from these alone, so that the answer may be given again. */
  readonly isKeepable: boolean
  /** The nested edges of the fields that will run; left out where there can be none. */
  readonly edges?: EdgePlan
  /** The most values (rows times fields) that its answer can hold; left out where nothing bounds it by them. */
  readonly values?: number
}

/** What the fields that cost something cost. */
export function chargedFields(
  plan: OperationPlan,
): readonly { readonly field: string; readonly units: number }[] {
  return [...plan.fields.values()].flatMap(({ field, units }) => (units > 0 ? [{ field, units }] : []))
}

/**
 * Checks access and arguments of every root field and nested edge, and prices the operation. Nothing is read or
 * charged. Variables that do not fit give null.
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
  const scope: EdgeScope = {
    fragments: fragmentsOf(document),
    variables: coerced,
    context,
    tally: { values: 0, reads: new Set() },
    edges: { outcomes: new Map(), priced: [], refused: [] },
  }
  const fields = new Map<string, PlannedField>()
  let introspects = false
  for (const [key, nodes] of fieldsByKey([operation.selectionSet], scope)) {
    const name = nodes[0].name.value
    if (name === '__schema' || name === '__type') introspects = true
    const definition = root.getFields()[name]
    if (definition) fields.set(key, await planField(key, nodes, definition, scope))
  }
  let units = 0
  for (const field of fields.values()) units += field.units
  const isQuery = operation.operation === 'query'
  const isOfDatasets = [...fields.values()].every(({ endpoint }) => endpoint.reads !== null)
  return {
    fields,
    units,
    introspects,
    reads: isQuery ? readsOf(fields, scope.tally.reads) : [],
    isKeepable: isQuery && !introspects && isOfDatasets && fields.size > 0,
    edges: scope.edges,
    values: scope.tally.values,
  }
}

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  return fragments
}

function readsOf(
  fields: OperationPlan['fields'],
  edgeReads: ReadonlySet<DatasetName>,
): readonly DatasetName[] {
  const names = new Set(edgeReads)
  for (const { endpoint } of fields.values()) for (const name of endpoint.reads ?? []) names.add(name)
  return [...names].sort()
}

async function planField(
  key: string,
  nodes: MergedField,
  definition: ReturnType<GraphQLObjectType['getFields']>[string],
  scope: EdgeScope,
): Promise<PlannedField> {
  const endpoint = endpointOf(definition)
  const field = definition.name
  try {
    requireAccess(scope.context.principal, endpoint.access)
    const args = getArgumentValues(definition, nodes[0], scope.variables)
    const input = await endpoint.check(args, scope.context)
    const rows = endpoint.rows?.(input, scope.context) ?? pageLimit(args)
    const type = getNamedType(definition.type)
    scope.tally.values += 1
    const edges = isObjectType(type) ? measureRoot(nodes, type, { rows, key }, scope) : 0
    return { field, endpoint, input, units: endpoint.cost === 'free' ? 0 : 1 + edges }
  } catch (error) {
    return { field, endpoint, error, units: 0 }
  }
}
