import type { FieldNode } from 'graphql'
import type { Path } from 'graphql/jsutils/Path.js'
import type { DataPart } from '../platform/database/versions/data-parts.js'
import type { EndpointSpec } from './endpoint.js'

/** The nodes of one response key, which are executed as one field. Validation ensures that their arguments agree. */
export type MergedField = readonly [FieldNode, ...FieldNode[]]

/** An edge is ready to run with its parsed input, or rejected for all parents. */
export type EdgeOutcome =
  | { readonly input: unknown /** Maximum per parent. */; readonly rows: number }
  | { readonly error: unknown }

/** An edge below a root field that will run. */
export interface PlannedEdge {
  /** Response keys from the root field on, without list indices. */
  readonly path: readonly string[]
  /** The document nodes that select it. */
  readonly nodes: MergedField
  readonly isNullable: boolean
  readonly outcome: EdgeOutcome
  /** Zero if it is refused. */
  readonly units: number
}

/** A field of the response, for all rows of the lists that contain it. */
export interface PlannedPlace {
  edge?: PlannedEdge
  /** The release that it is read by, null without one. Not set if that is the release of the field that contains it. */
  release?: string | null
  /** Whether it is read by when publishers made values known. Set with the release. */
  isPublished?: boolean
  /** By response key; below a field of an abstract type by type and key, e.g. `Asset.prices`. */
  readonly below: Map<string, PlannedPlace>
}

/** Finds the place with these keys below another. Adds it if it is missing. */
export function placeBelow(place: PlannedPlace, keys: readonly string[]): PlannedPlace {
  return keys.reduce((above, key) => {
    const known = above.below.get(key)
    if (known !== undefined) return known
    const added: PlannedPlace = { below: new Map() }
    above.below.set(key, added)
    return added
  }, place)
}

/** The places on a path of the response, from the root field to its last field; undefined for those without a plan. */
export function placesOn(
  plan: Pick<OperationPlan, 'places'>,
  { prev, key, typename }: Path,
): (PlannedPlace | undefined)[] {
  const places = prev === undefined ? [] : placesOn(plan, prev)
  if (typeof key === 'number') return places
  const { below } = (prev === undefined ? plan.places : places.at(-1)) ?? {}
  places.push(below?.get(key) ?? below?.get(`${typename}.${key}`))
  return places
}

/** The edges of a plan, each before those below it. */
export function edgesOf({ places }: Pick<OperationPlan, 'places'>): readonly PlannedEdge[] {
  const edges: PlannedEdge[] = []
  const visit = ({ edge, below }: PlannedPlace): void => {
    if (edge !== undefined) edges.push(edge)
    for (const place of below.values()) visit(place)
  }
  if (places !== undefined) visit(places)
  return edges
}

/** A root field of the operation is ready to run with its parsed input, or already rejected. */
export type PlannedField =
  | {
      readonly field: string
      readonly endpoint: EndpointSpec
      readonly units: number
      readonly input: unknown
    }
  | { readonly field: string; readonly endpoint: EndpointSpec; readonly units: 0; readonly error: unknown }

/** What an operation will run and what it costs. The plan exists before anything runs or is charged. */
export interface OperationPlan {
  /** By response key: the alias or the field's name. */
  readonly fields: ReadonlyMap<string, PlannedField>
  /** Sum of the units of the fields that will run. */
  readonly units: number
  /** Whether the operation selects __schema or __type. */
  readonly introspects: boolean
  /** The datasets and grains of the response. */
  readonly reads: readonly DataPart[]
  /** Whether the response depends on these only, so that it may be cached. */
  readonly isCacheable: boolean
  /**
   * The tree of the response with its root fields that will run, its edges, and the fields between them. Omitted by
   * operations that have no edges and no releases.
   */
  readonly places?: PlannedPlace
  /** Maximum number of values (rows times fields) in the response. Omitted if unknown. */
  readonly values?: number
}
