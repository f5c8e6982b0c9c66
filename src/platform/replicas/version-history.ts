import type { DatasetState, DatasetStates } from '../database/data-version.js'
import type { OnVersionsRead } from '../database/data-versions.js'
import { coversVersions, type VersionVector } from './replica-states.js'

/** A replica that is further behind has an unknown delay. At ten commits a second these are half a minute. */
const MAX_POINTS = 256

/** Versions of the primary, and the start of the last read that returned them. */
interface Point {
  readonly versions: VersionVector
  /** Steady milliseconds. */
  readAtMs: number
}

/** The versions that the primary had at the last reads of this node. It shows how far behind a replica is. */
export class VersionHistory {
  /** Oldest first. */
  readonly #points: Point[] = []
  #last: DatasetStates | null = null
  /** The point that `currentAtMs` found for some states, while no newer point exists. */
  #found = new WeakMap<DatasetStates, { readonly newest: Point; readonly point: Point | null }>()

  /** Records the states of a read of the primary that started then. */
  readonly note: OnVersionsRead = (states, startedAtMs) => {
    const newest = this.#points.at(-1)
    if (newest !== undefined && states === this.#last) {
      newest.readAtMs = Math.max(newest.readAtMs, startedAtMs)
      return
    }
    this.#last = states
    this.#points.push({ versions: toVersions(states), readAtMs: startedAtMs })
    if (this.#points.length > MAX_POINTS) this.#points.shift()
  }

  /**
   * The last instant at which the states are known to have had everything that the primary had, in steady milliseconds. Null
   * if the history does not reach back that far.
   */
  currentAtMs(states: DatasetStates): number | null {
    const newest = this.#points.at(-1)
    if (newest === undefined) return null
    const known = this.#found.get(states)
    if (known?.newest === newest) return known.point?.readAtMs ?? null
    const point = this.#points.findLast(({ versions }) => coversVersions(states, versions)) ?? null
    this.#found.set(states, { newest, point })
    return point?.readAtMs ?? null
  }
}

/** Without grains and sources, which take much memory. */
function toVersions(states: DatasetStates): VersionVector {
  const entry = ([name, { version, commitId }]: readonly [DatasetState['dataset'], DatasetState]) =>
    [name, { version, commitId }] as const
  return new Map([...states].map(entry))
}
