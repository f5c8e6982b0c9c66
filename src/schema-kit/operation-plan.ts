import type { FieldNode } from 'graphql'
import type { DatasetName } from '../core/datasets.js'
import type { EndpointSpec } from './endpoint.js'

/** The fields of one response key, which are executed as one; validation has seen that their arguments agree. */
export type MergedField = readonly [FieldNode, ...FieldNode[]]

/** An edge is ready to run with its parsed input, or refused for all its parents. */
export type EdgeOutcome =
  | { readonly input: unknown /** For one parent, at most. */; readonly rows: number }
  | { readonly error: unknown }

/** Where in the answer an edge is asked for, and by which nodes of the document. */
export interface PlacedEdge {
  /** Response keys from the root field on, without the places in lists. */
  readonly path: readonly string[]
  readonly nodes: MergedField
}

/** The nested edges of an operation. */
export interface EdgePlan {
  /** By each node of the document that selects the edge; what decides is the same for all places of a node. */
  readonly outcomes: ReadonlyMap<FieldNode, EdgeOutcome>
  readonly priced: readonly (PlacedEdge & { readonly units: number })[]
  readonly refused: readonly (PlacedEdge & { readonly error: unknown })[]
}

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
