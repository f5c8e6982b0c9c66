import type { DataPart } from '../../../platform/database/data-parts.js'
import type { DatasetStates } from '../../../platform/database/data-version.js'
import type { Replicas } from '../../../platform/replicas/replicas.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { callerKey, type Principal } from '../../../policy/principal.js'
import { GRAPHQL_PATH } from '../../paths.js'
import { isReadMethod } from '../read-method.js'
import { hasMinimum, type MinimumVersion, parseMinimumVersion } from './minimum-version.js'

/** Which states of the data the caller of a request may get, so that no caller goes back in time. */
export interface CallerStates {
  /** The versions that the request demands; null without the header. */
  readonly minimum: MinimumVersion | null
  /** Whether answers to the caller are recorded. */
  readonly isTracked: boolean
  /** Whether the caller may get an answer from these parts, of these states, although the primary may have newer ones. */
  allows(reads: readonly DataPart[], states: DatasetStates): boolean
  /** States of replicas, older than these of the primary. `allows` decides whether the caller may get an answer of them. */
  olderThan(primary: DatasetStates): readonly DatasetStates[]
  /** Records that the caller gets an answer from these parts, of these states. */
  note(reads: readonly DataPart[], states: DatasetStates): void
  /**
   * Records that the caller may get newer states of these parts than those that this node knows. It gets no older ones for
   * some seconds.
   */
  noteUnknown(reads: readonly DataPart[]): void
}

/** Without replicas a node never goes back. */
const ANY_STATES: CallerStates = {
  minimum: null,
  isTracked: false,
  allows: () => true,
  olderThan: () => [],
  note: () => {},
  noteUnknown: () => {},
}

/**
 * What this caller may get. An anonymous caller is unknown to the node, so its answers are never behind the primary. Throws a
 * 400 for a malformed `X-Min-Data-Version`.
 */
export function statesOfCaller(
  exchange: Exchange,
  principal: Principal,
  replicas: Replicas | null,
): CallerStates {
  const isRead = isReadMethod(exchange.method) || exchange.path === GRAPHQL_PATH
  const minimum = isRead ? parseMinimumVersion(exchange) : null
  if (replicas === null)
    return minimum === null
      ? ANY_STATES
      : { ...ANY_STATES, minimum, allows: (_, states) => hasMinimum(states, minimum) }
  if (principal.kind === 'anonymous') return { ...ANY_STATES, minimum, allows: () => false }
  const { seen } = replicas
  const key = callerKey(principal)
  return {
    minimum,
    isTracked: true,
    allows: (reads, states) =>
      (minimum === null || hasMinimum(states, minimum)) && seen.allows(key, reads, states),
    olderThan: (primary) => replicas.olderStates(primary),
    note: (reads, states) => seen.note(key, reads, states),
    noteUnknown: (reads) => seen.noteUnknown(key, reads),
  }
}
