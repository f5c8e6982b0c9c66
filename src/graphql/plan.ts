import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql'
import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isListType,
  isObjectType,
  Kind,
} from 'graphql'
import { DATASETS, type DatasetName } from '../core/freshness.js'
import type { RequestContext } from '../platform/request-context.js'
import { requireAccess } from '../policy/decide.js'
import { PARENTS_PER_UNIT } from '../policy/limits.js'
import { type EndpointSpec, endpointOf } from './endpoint.js'

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
}

export const EMPTY_PLAN: OperationPlan = {
  fields: new Map(),
  units: 0,
  introspects: false,
  reads: [],
  isKeepable: false,
}

/** What the fields that cost something cost. */
export function chargedFields(
  plan: OperationPlan,
): readonly { readonly field: string; readonly units: number }[] {
  return [...plan.fields.values()].flatMap(({ field, units }) => (units > 0 ? [{ field, units }] : []))
}

/** Elements assumed for a nested list that takes no limit of its own. */
const ASSUMED_LIST_LENGTH = 10

interface Scope {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Readonly<Record<string, unknown>>
  /** Filled while edges are priced. */
  readonly edgeReads: Set<DatasetName>
}

/**
 * Checks access and arguments of every root field and prices the operation. Nothing is read or charged.
 * Variables that do not fit give null: the executor then says what is wrong with them.
 */
export async function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  inputs: Readonly<Record<string, unknown>> | null | undefined,
  context: RequestContext,
): Promise<OperationPlan | null> {
  const operation = getOperationAST(document, operationName)
  const root = operation && rootType(schema, operation)
  if (!operation || !root) return null
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], inputs ?? {})
  if (!coerced.coerced) return null
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const scope: Scope = { schema, fragments, variables: coerced.coerced, edgeReads: new Set() }

  const fields = new Map<string, PlannedField>()
  let introspects = false
  for (const [key, [node, ...same]] of fieldsByKey([operation.selectionSet], scope)) {
    if (node.name.value === '__schema' || node.name.value === '__type') introspects = true
    const definition = root.getFields()[node.name.value]
    if (definition) fields.set(key, await planField([node, ...same], definition, scope, context))
  }
  let units = 0
  for (const field of fields.values()) units += field.units
  const isQuery = operation.operation === 'query'
  const isOfDatasets = [...fields.values()].every(({ endpoint }) => endpoint.reads !== null)
  return {
    fields,
    units,
    introspects,
    reads: isQuery ? readsOf(fields, scope.edgeReads) : [],
    isKeepable: isQuery && !introspects && isOfDatasets && fields.size > 0,
  }
}

function readsOf(
  fields: OperationPlan['fields'],
  edgeReads: ReadonlySet<DatasetName>,
): readonly DatasetName[] {
  const names = new Set(edgeReads)
  for (const { endpoint } of fields.values()) for (const name of endpoint.reads ?? []) names.add(name)
  return DATASETS.filter((name) => names.has(name))
}

function rootType(schema: GraphQLSchema, operation: OperationDefinitionNode): GraphQLObjectType | null {
  return schema.getRootType(operation.operation) ?? null
}

type FieldDefinition = ReturnType<GraphQLObjectType['getFields']>[string]

async function planField(
  nodes: MergedField,
  definition: FieldDefinition,
  scope: Scope,
  context: RequestContext,
): Promise<PlannedField> {
  const endpoint = endpointOf(definition)
  try {
    requireAccess(context.principal, endpoint.access)
    const args = getArgumentValues(definition, nodes[0], scope.variables)
    const input = await endpoint.parse(args, context)
    const type = getNamedType(definition.type)
    const limit = pageLimit(args)
    const edges =
      isObjectType(type) && hasEdges(scope.schema) ? edgeUnits(selectionsOf(nodes), type, 1, limit, scope) : 0
    return { field: definition.name, endpoint, input, units: endpoint.cost === 'free' ? 0 : 1 + edges }
  } catch (error) {
    return { field: definition.name, endpoint, error, units: 0 }
  }
}

const schemasWithEdges = new WeakMap<GraphQLSchema, boolean>()

/** Whether anything in the schema is priced beside its root fields; the REST sub-graph has nothing. */
function hasEdges(schema: GraphQLSchema): boolean {
  const known = schemasWithEdges.get(schema)
  if (known !== undefined) return known
  const has = Object.values(schema.getTypeMap()).some(
    (type) =>
      isObjectType(type) &&
      Object.values(type.getFields()).some((field) => field.extensions.edge !== undefined),
  )
  schemasWithEdges.set(schema, has)
  return has
}

/** The fields of one response key, which are executed as one; validation has seen that their arguments agree. */
type MergedField = readonly [FieldNode, ...FieldNode[]]

/** Units of the nested edges below selections that are resolved for `parents` objects. */
function edgeUnits(
  selections: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  parents: number,
  limit: number | null,
  scope: Scope,
): number {
  let units = 0
  for (const nodes of fieldsByKey(selections, scope).values()) {
    const definition = type.getFields()[nodes[0].name.value]
    if (!definition) continue
    const { edge } = definition.extensions
    if (edge) {
      units += Math.ceil(parents / PARENTS_PER_UNIT)
      for (const name of edge.reads) scope.edgeReads.add(name)
    }
    const child = getNamedType(definition.type)
    const below = selectionsOf(nodes)
    if (!isObjectType(child) || below.length === 0) continue
    const own = pageLimit(getArgumentValues(definition, nodes[0], scope.variables)) ?? limit
    const isList = isListType(getNullableType(definition.type))
    units += isList
      ? edgeUnits(below, child, parents * (own ?? ASSUMED_LIST_LENGTH), null, scope)
      : edgeUnits(below, child, parents, own, scope)
  }
  return units
}

function selectionsOf(nodes: MergedField): readonly SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
}

/** The fields of the selections together, by response key: what is asked for twice is executed and priced once. */
function fieldsByKey(
  selections: readonly SelectionSetNode[],
  scope: Scope,
): ReadonlyMap<string, MergedField> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const opened = new Set<string>()
  for (const selection of selections) {
    for (const node of fieldsOf(selection, scope, opened)) {
      const key = (node.alias ?? node.name).value
      const same = fields.get(key)
      if (same) same.push(node)
      else fields.set(key, [node])
    }
  }
  return fields
}

function pageLimit(args: Readonly<Record<string, unknown>>): number | null {
  return typeof args.limit === 'number' ? args.limit : null
}

/**
 * Fields of a selection set with fragments opened, without what @skip and @include leave out. A fragment is opened
 * once among selections that merge: again it would only repeat itself, and spreads of spreads grow without end.
 */
function* fieldsOf(selections: SelectionSetNode, scope: Scope, opened: Set<string>): Generator<FieldNode> {
  for (const node of selections.selections) {
    const skip = getDirectiveValues(GraphQLSkipDirective, node, scope.variables)?.if === true
    const include = getDirectiveValues(GraphQLIncludeDirective, node, scope.variables)?.if !== false
    if (skip || !include) continue
    if (node.kind === Kind.FIELD) yield node
    else if (node.kind === Kind.INLINE_FRAGMENT) yield* fieldsOf(node.selectionSet, scope, opened)
    else if (!opened.has(node.name.value)) {
      opened.add(node.name.value)
      const fragment = scope.fragments.get(node.name.value)
      if (fragment) yield* fieldsOf(fragment.selectionSet, scope, opened)
    }
  }
}
