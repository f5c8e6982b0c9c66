import { LRUCache } from 'lru-cache'
import type { DatasetName } from '../../core/datasets.js'
import { type DataPart, datasetOf } from '../database/data-parts.js'
import { type DatasetStates, versionIn } from '../database/data-version.js'

/** Memory for versions: about 40,000 pairs of a caller and a dataset. */
const MAX_BYTES = 10_000_000

/** Approximate memory of a version besides its key. */
const OVERHEAD_BYTES = 150

/** A version that every caller has seen, in effect. */
interface Forgotten {
  readonly version: number
  readonly untilMs: number
}

/**
 * The newest version of each dataset that each caller was shown, so that no answer from it is older. A version is kept for
 * as long as an answer may be behind the primary: after that every answer has it. If memory is short, those of the least
 * recent callers become one minimum for all callers, so that none goes back.
 */
export class SeenVersions {
  /** By dataset and caller. */
  readonly #seen: LRUCache<string, number>
  readonly #keepMs: number
  readonly #forgotten = new Map<DatasetName, Forgotten>()

  /** A version is kept for `keepMs` milliseconds after it was first shown. */
  constructor(keepMs: number, maxBytes = MAX_BYTES) {
    this.#keepMs = keepMs
    this.#seen = new LRUCache({
      maxSize: maxBytes,
      ttl: Math.max(1, keepMs),
      ttlResolution: 0,
      perf: { now: () => performance.now() },
      sizeCalculation: (_, key) => 2 * key.length + OVERHEAD_BYTES,
      dispose: (version, key, reason) => {
        if (reason === 'evict') this.#forget(datasetIn(key), version)
      },
    })
  }

  /** Whether an answer from these parts, of these states, is at least what this caller has seen. */
  allows(caller: string, reads: readonly DataPart[], states: DatasetStates): boolean {
    for (const part of reads) {
      const dataset = datasetOf(part)
      const version = versionIn(states, dataset)
      if (version < (this.#seen.get(keyOf(dataset, caller)) ?? 0)) return false
      if (version < this.#forgottenVersion(dataset)) return false
    }
    return true
  }

  /** Records that this caller gets an answer from these parts, of these states. */
  note(caller: string, reads: readonly DataPart[], states: DatasetStates): void {
    for (const part of reads) {
      const dataset = datasetOf(part)
      const key = keyOf(dataset, caller)
      const version = versionIn(states, dataset)
      if (version > (this.#seen.get(key) ?? 0)) this.#seen.set(key, version)
    }
  }

  /** Records that this caller gets an answer of unknown states: until that is forgotten no states of these parts are allowed. */
  noteUnknown(caller: string, reads: readonly DataPart[]): void {
    for (const part of reads) this.#seen.set(keyOf(datasetOf(part), caller), Number.POSITIVE_INFINITY)
  }

  #forget(dataset: DatasetName, version: number): void {
    this.#forgotten.set(dataset, {
      version: Math.max(version, this.#forgottenVersion(dataset)),
      untilMs: performance.now() + this.#keepMs,
    })
  }

  #forgottenVersion(dataset: DatasetName): number {
    const forgotten = this.#forgotten.get(dataset)
    if (forgotten === undefined) return 0
    if (performance.now() <= forgotten.untilMs) return forgotten.version
    this.#forgotten.delete(dataset)
    return 0
  }
}

const SEPARATOR = ' '

function keyOf(dataset: DatasetName, caller: string): string {
  return `${dataset}${SEPARATOR}${caller}`
}

function datasetIn(key: string): DatasetName {
  return key.slice(0, key.indexOf(SEPARATOR)) as DatasetName // `keyOf` has written it
}
