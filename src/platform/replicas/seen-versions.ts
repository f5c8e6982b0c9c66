import { LRUCache } from 'lru-cache'
import { type DatasetName, registeredDatasets } from '../../core/datasets.js'
import { memoizeByObject } from '../../core/memoize-by-object.js'
import { type DatasetStates, versionIn } from '../database/data-version.js'

/** Memory for the versions of callers: those of about 20,000 with 40 datasets. */
const MAX_BYTES = 10_000_000

/** Approximate memory of a caller besides the versions. */
const OVERHEAD_BYTES = 200

/** Versions in the order of the registered datasets. */
type Versions = Float64Array

/**
 * The newest versions that each caller has seen, so that no answer to it is older. They are kept for as long as an answer
 * may be behind the primary: after that every answer has them. If memory is short, those of the least recent callers become
 * one minimum for every unknown caller, so that no caller goes back.
 */
export class SeenVersions {
  readonly #callers: LRUCache<string, Versions>
  readonly #keepMs: number
  #forgotten: { readonly versions: Versions; readonly untilMs: number } | null = null

  /** Of each caller the versions are kept for `keepMs` milliseconds after they rose. */
  constructor(keepMs: number, maxBytes = MAX_BYTES) {
    this.#keepMs = keepMs
    this.#callers = new LRUCache({
      maxSize: maxBytes,
      ttl: Math.max(1, keepMs),
      ttlResolution: 0,
      perf: { now: () => performance.now() },
      sizeCalculation: ({ byteLength }, caller) => byteLength + 2 * caller.length + OVERHEAD_BYTES,
      dispose: (versions, _, reason) => {
        if (reason === 'evict') this.#forget(versions)
      },
    })
  }

  /** Whether the states are at least what this caller has seen. */
  allows(caller: string, states: DatasetStates): boolean {
    const versions = versionsOf(states)
    const seen = this.#callers.get(caller)
    if (seen !== undefined && !isAtLeast(versions, seen)) return false
    const forgotten = this.#forgotten
    if (forgotten === null) return true
    if (performance.now() > forgotten.untilMs) this.#forgotten = null
    else if (!isAtLeast(versions, forgotten.versions)) return false
    return true
  }

  /** Records that this caller gets an answer of these states. */
  note(caller: string, states: DatasetStates): void {
    const versions = versionsOf(states)
    const seen = this.#callers.get(caller)
    if (seen === undefined) this.#callers.set(caller, versions)
    else if (!isAtLeast(seen, versions)) this.#callers.set(caller, highest(seen, versions))
  }

  /** Records that this caller gets an answer of states that are unknown: until they are forgotten it may get no states. */
  noteUnknown(caller: string): void {
    this.#callers.set(caller, UNKNOWN)
  }

  #forget(versions: Versions): void {
    const before = this.#forgotten
    this.#forgotten = {
      versions: before === null ? versions : highest(before.versions, versions),
      untilMs: performance.now() + this.#keepMs,
    }
  }
}

/** Higher than every version. */
const UNKNOWN = Float64Array.of(Number.POSITIVE_INFINITY)

const versionsOf = memoizeByObject(
  (states: DatasetStates): Versions =>
    Float64Array.from(registeredDatasets(), (name: DatasetName) => versionIn(states, name)),
)

function isAtLeast(versions: Versions, minimum: Versions): boolean {
  if (versions === minimum || versions === UNKNOWN) return true
  for (let at = 0; at < minimum.length; at++) if ((versions[at] ?? 0) < (minimum[at] ?? 0)) return false
  return true
}

function highest(one: Versions, other: Versions): Versions {
  if (one === UNKNOWN || other === UNKNOWN) return UNKNOWN
  return one.map((version, at) => Math.max(version, other[at] ?? 0))
}
