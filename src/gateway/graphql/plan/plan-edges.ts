import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Slug } from '../../../core/identifiers.js'
import { type DataPart, withGrains } from '../../../platform/database/versions/data-parts.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { requireAccess } from '../../../policy/decide.js'
import { PARENTS_PER_UNIT, ROWS_PER_UNIT } from '../../../policy/limits.js'
import type { EdgeSpec } from '../../../schema-kit/endpoint.js'
import type { EdgeOutcome, MergedField, PlacedEdge } from '../../../schema-kit/operation-plan.js'
import { releaseOf } from '../../../schema-kit/pinned-release.js'
import { countValues, ROW_VALUES } from './budget.js'
import { fieldsByKey, objectTypesOf, type SelectionScope, selectionsOf } from './selections.js'

export interface EdgeScope extends SelectionScope {
  readonly context: RequestContext
  /** Filled while selections are measured. */
  readonly totals: { values: number; readonly reads: Set<DataPart> }
  /** The release of each field by its path; null if the operation names no release. */
  readonly releases: Map<string, string | null> | null
  readonly edges: {
    readonly outcomes: Map<FieldNode, EdgeOutcome>
    readonly priced: (PlacedEdge & { readonly units: number })[]
    readonly refused: (PlacedEdge & { readonly error: unknown })[]
  }
}

/** The position of selections in an operation. */
interface Place {
  /** Maximum number of objects for which they are resolved. */
  readonly parents: number
  /** Rows of the nearest enclosing page; null outside a page. */
  readonly rows: number | null
  readonly path: readonly string[]
  /** The asset that every object here is about; null for several or none. */
  readonly asset: Slug | null
}

/** The position of a root field. */
interface RootPlace extends Pick<Place, 'rows' | 'asset'> {
  readonly key: string
  /** Whether the field itself is a list, instead of an envelope with a list. */
  readonly isList: boolean
}

/** The member of an envelope that has the answer itself. */
const DATA_FIELD = 'data'

/** Assumed length of a nested list without a limit. */
const ASSUMED_LIST_LENGTH = 10

/** The last count of values below a field, and the rows that it is for. */
interface CountedValues {
  readonly rows: number | null
  readonly values: number
}

/** By the only node that selects a root field; null if its selections must be measured each time. */
const counted = new WeakMap<FieldNode, CountedValues | null>()

/**
 * Like `measureSelections`, below a root field. Without edges, arguments, directives and fragments the count depends only
 * on the rows, so a cached document is measured once.
 */
export function measureRoot(
  nodes: MergedField,
  type: GraphQLObjectType,
  place: RootPlace,
  scope: EdgeScope,
): number {
  const [node, ...others] = nodes
  const known = others.length > 0 ? null : counted.get(node)
  if (known?.rows === place.rows) {
    scope.totals.values += known.values
    return 0
  }
  const before = scope.totals.values
  const { key, asset, isList } = place
  const below = isList
    ? { parents: place.rows ?? ASSUMED_LIST_LENGTH, rows: null, path: [key], asset }
    : { parents: 1, rows: place.rows, path: [key], asset }
  const units = measureSelections(selectionsOf(nodes), type, below, scope)
  const mayCount = known === undefined ? isPlain(node.selectionSet, type) : known !== null
  if (others.length === 0)
    counted.set(node, mayCount ? { rows: place.rows, values: scope.totals.values - before } : null)
  return units
}

function isPlain(selectionSet: SelectionSetNode | undefined, type: GraphQLObjectType): boolean {
  const fields = type.getFields()
  return (selectionSet?.selections ?? []).every((node) => {
    if (node.kind !== Kind.FIELD || (node.directives?.length ?? 0) > 0) return false
    const definition = fields[node.name.value]
    if (definition === undefined) return node.name.value === '__typename'
    const { edge, reads } = definition.extensions
    if (edge !== undefined || reads !== undefined || definition.args.length > 0) return false
    const child = getNamedType(definition.type)
    return isLeafType(child) || (isObjectType(child) && isPlain(node.selectionSet, child))
  })
}

/** Returns the units of the nested edges below selections; also counts values and records edges. */
function measureSelections(
  selections: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  place: Place,
  scope: EdgeScope,
): number {
  const { parents } = place
  const fields = type.getFields()
  let units = 0
  for (const [key, nodes] of fieldsByKey(selections, type, scope)) {
    const definition = fields[nodes[0].name.value]
    if (!definition) continue
    const { edge } = definition.extensions
    for (const dataset of definition.extensions.reads ?? []) scope.totals.reads.add(dataset)
    const path = [...place.path, key]
    let { rows } = place
    if (edge) {
      const planned = planEdge(edge, { path, nodes, asset: place.asset }, definition, scope)
      if (planned === null) continue
      rows = planned.rows ?? rows
      const price =
        Math.ceil(parents / PARENTS_PER_UNIT) * Math.max(1, Math.ceil((planned.rows ?? 1) / ROWS_PER_UNIT))
      scope.edges.priced.push({ path, nodes, units: price })
      units += price
    } else if (definition.args.length > 0) {
      rows = pageLimit(getArgumentValues(definition, nodes[0], scope.variables)) ?? rows
    }
    const child = getNamedType(definition.type)
    const isList = isListType(getNullableType(definition.type))
    const length = isList ? (rows ?? ASSUMED_LIST_LENGTH) : 1
    scope.totals.values += parents * (isCompositeType(child) ? 1 : length) * countValues(key, child)
    if (isList && isCompositeType(child))
      scope.totals.values += parents * length * (definition.extensions.rowValues ?? ROW_VALUES)
    const isSameAsset = !isList && edge === undefined && definition.name === DATA_FIELD
    const asset = isSameAsset ? place.asset : null
    const below = { parents: parents * length, rows: isList ? null : rows, path, asset }
    // Every object may have any of the types, so the sum is the most that they can cost.
    for (const objectType of objectTypesOf(child, scope.schema))
      units += measureSelections(selectionsOf(nodes), objectType, below, scope)
  }
  return units
}

/** Returns null for a refused edge, which neither runs nor costs units. */
function planEdge(
  edge: EdgeSpec,
  { path, nodes, asset }: PlacedEdge & Pick<Place, 'asset'>,
  definition: GraphQLField<unknown, unknown>,
  { context, variables, edges, totals, releases }: EdgeScope,
): { readonly rows: number | null } | null {
  const note = (outcome: EdgeOutcome) => {
    for (const node of nodes) edges.outcomes.set(node, outcome)
  }
  try {
    requireAccess(context.principal, edge.access)
    const args = getArgumentValues(definition, nodes[0], variables)
    const input = edge.check(args, context)
    const rows = edge.rows?.(input, context) ?? pageLimit(args)
    note({ input, rows: rows ?? 1 })
    const grains = asset === null ? [] : (edge.grains?.(asset, input, context) ?? [])
    for (const part of withGrains(edge.reads, grains)) totals.reads.add(part)
    releases?.set(path.join('.'), releaseOf(args))
    return { rows }
  } catch (error) {
    note({ error })
    // The resolver of a non-null edge throws the error itself.
    if (!isNonNullType(definition.type)) edges.refused.push({ path, nodes, error })
    return null
  }
}

export function pageLimit(args: Readonly<Record<string, unknown>>): number | null {
  return typeof args.limit === 'number' ? Math.max(0, args.limit) : null
}
