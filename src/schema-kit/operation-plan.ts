import type { FieldNode } from 'graphql'
import type { DataPart } from '../platform/database/versions/data-parts.js'
import type { EndpointSpec } from './endpoint.js'

/** The nodes of one response key, which are executed as one field. Validation ensures that their arguments agree. */
export type MergedField = readonly [FieldNode, ...FieldNode[]]

/** An edge is ready to run with its parsed input, or rejected for all parents. */
export type EdgeOutcome =
  | { readonly input: unknown /** Maximum per parent. */; readonly rows: number }
  | { readonly error: unknown }

/** An edge at one path of the response, with the document nodes that select it. */
export interface PlacedEdge {
  /** Response keys from the root field on, without list indices. */
  readonly path: readonly string[]
  readonly nodes: MergedField
}

/** The nested edges of an operation. */
export interface EdgePlan {
  /** Outcome by document node. All paths of a node have the same outcome. */
  readonly outcomes: ReadonlyMap<FieldNode, EdgeOutcome>
  readonly priced: readonly (PlacedEdge & { readonly units: number })[]
  readonly refused: readonly (PlacedEdge & { readonly error: unknown })[]
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
  /** The nested edges of the fields that will run. Omitted without edges. */
  readonly edges?: EdgePlan
  /**
   * The release that each root field and edge is read by, null without one; by their path of response keys, joined by
   * points. Omitted if the operation names no release.
   */
  readonly releases?: ReadonlyMap<string, string | null>
  /** Maximum number of values (rows times fields) in the response. Omitted if unknown. */
  readonly values?: number
}
