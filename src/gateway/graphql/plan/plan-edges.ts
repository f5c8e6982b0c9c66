import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { DatasetName } from '../../../core/datasets.js'
import type { Slug } from '../../../core/identifiers.js'
import { type DataPart, withGrains } from '../../../platform/database/versions/data-parts.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { requireAccess } from '../../../policy/decide.js'
import { PARENTS_PER_UNIT, ROWS_PER_UNIT } from '../../../policy/limits.js'
import type { EdgeSpec } from '../../../schema-kit/endpoint.js'
import { type MergedField, type PlannedPlace, placeBelow } from '../../../schema-kit/operation-plan.js'
import { atClock, knowledgeOf } from '../../../schema-kit/pinned-release.js'
import { countValues, ROW_VALUES } from './budget.js'
import { fieldsByKey, objectTypesOf, type SelectionScope, selectionsOf } from './selections.js'

export interface EdgeScope extends SelectionScope {
  readonly context: RequestContext
  /** Filled while selections are measured. */
  readonly totals: { values: number; readonly reads: Set<DataPart> }
  /** Filled with the edges, and the releases of root fields and edges. */
  readonly places: PlannedPlace
}

/** The position of selections in an operation. */
interface Place {
  /** Maximum number of objects for which they are resolved. */
  readonly parents: number
  /** Rows of the nearest enclosing page; null outside a page. */
  readonly rows: number | null
  /** Keys of the places from the root field on. */
  readonly keys: readonly string[]
  /** The start of the keys below: the type of the objects if the field is of an abstract type, else empty. */
  readonly prefix: string
  /** The asset that every object here is about; null for several or none. */
  readonly asset: Slug | null
}

/** The position of a root field. */
interface RootPlace extends Pick<Place, 'rows' | 'asset'> {
  readonly key: string
  /** Whether the field itself is a list, instead of an envelope with a list. */
  readonly isList: boolean
  readonly isAbstract: boolean
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
  const { key, asset, isList, isAbstract } = place
  const where = { keys: [key], prefix: prefixOf(type, isAbstract), asset }
  const below = isList
    ? { parents: place.rows ?? ASSUMED_LIST_LENGTH, rows: null, ...where }
    : { parents: 1, rows: place.rows, ...where }
  const units = measureSelections(selectionsOf(nodes), type, below, scope)
  const mayCount = known === undefined ? isPlain(node.selectionSet, type) : known !== null
  if (others.length === 0)
    counted.set(node, mayCount ? { rows: place.rows, values: scope.totals.values - before } : null)
  return units
}

function prefixOf({ name }: GraphQLObjectType, isOfAbstractField: boolean): string {
  return isOfAbstractField ? `${name}.` : ''
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
    const { reads = [] } = definition.extensions
    assertAtClock(definition, reads, scope.context)
    for (const dataset of reads) scope.totals.reads.add(dataset)
    const keys = [...place.keys, `${place.prefix}${key}`]
    let { rows } = place
    if (edge) {
      const planned = planEdge(edge, { ...place, keys }, nodes, definition, scope)
      if (planned === null) continue
      rows = planned.rows ?? rows
      units += planned.units
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
    const below = { parents: parents * length, rows: isList ? null : rows, keys, asset }
    // Every object may have any of the types, so the sum is the most that they can cost.
    for (const objectType of objectTypesOf(child, scope.schema))
      units += measureSelections(
        selectionsOf(nodes),
        objectType,
        { ...below, prefix: prefixOf(objectType, isAbstractType(child)) },
        scope,
      )
  }
  return units
}

/** Throws a 422 for a field that reads datasets without an instant, if the caller has a clock. */
function assertAtClock(
  definition: GraphQLField<unknown, unknown>,
  reads: readonly DatasetName[],
  context: RequestContext,
): void {
  if (reads.length > 0) atClock({}, definition, { reads }, context)
}

/** Returns null for a refused edge, which neither runs nor costs units. */
function planEdge(
  edge: EdgeSpec,
  { parents, keys, asset }: Pick<Place, 'parents' | 'keys' | 'asset'>,
  nodes: MergedField,
  definition: GraphQLField<unknown, unknown>,
  { context, variables, places, totals }: EdgeScope,
): { readonly rows: number | null; readonly units: number } | null {
  const place = placeBelow(places, keys)
  const path = keys.map((key) => key.slice(key.indexOf('.') + 1))
  const planned = { path, nodes, isNullable: !isNonNullType(definition.type) }
  try {
    requireAccess(context.principal, edge.access)
    const given = getArgumentValues(definition, nodes[0], variables)
    const args = atClock(given, definition, edge, context)
    const input = edge.check(args, context)
    const rows = edge.rows?.(input, context) ?? pageLimit(args)
    const units = Math.ceil(parents / PARENTS_PER_UNIT) * Math.max(1, Math.ceil((rows ?? 1) / ROWS_PER_UNIT))
    place.edge = { ...planned, outcome: { input, rows: rows ?? 1 }, units }
    const grains = asset === null ? [] : (edge.grains?.(asset, input, context) ?? [])
    for (const part of withGrains(edge.reads, grains)) totals.reads.add(part)
    Object.assign(place, knowledgeOf(args))
    return { rows, units }
  } catch (error) {
    place.edge = { ...planned, outcome: { error }, units: 0 }
    return null
  }
}

export function pageLimit(args: Readonly<Record<string, unknown>>): number | null {
  return typeof args.limit === 'number' ? Math.max(0, args.limit) : null
}
