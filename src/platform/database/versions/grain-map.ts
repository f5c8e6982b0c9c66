/** The last change of a grain, or of all grains of a dataset. */
export interface GrainState {
  /** The version of the dataset at which it changed. */
  readonly version: number
  /** UUID of the commit, unique across databases. */
  readonly commitId: string
  /** Instant of the newest fact, epoch milliseconds. */
  readonly observedMs: number
  /** When the change was committed, epoch milliseconds. */
  readonly changedMs: number
}

export type NamedGrain = readonly [name: string, state: GrainState]

/** Grains that a node knows per dataset: about 350 bytes each. More would be versions of 10,000 assets and their closed parts. */
export const MAX_GRAINS = 20_000

/** Changes are collected up to this number before the map of all grains is copied. */
const MAX_NEWER = 512

interface Contents {
  readonly coarse: GrainState
  readonly older: ReadonlyMap<string, GrainState>
  /** Replaces entries of `older`. */
  readonly newer: ReadonlyMap<string, GrainState>
  readonly isComplete: boolean
  readonly max: number
}

/**
 * The versions of a dataset's grains at one version of the dataset. It never changes, so a run compares the versions before
 * and after itself. Copies share most of their memory.
 */
export class GrainMap {
  readonly #contents: Contents

  private constructor(contents: Contents) {
    this.#contents = contents
  }

  /**
   * `coarse` is the last commit that may have changed every grain, `grains` the newest ones after it. If there are `max` of
   * them, more may exist.
   */
  static of(coarse: GrainState, grains: Iterable<NamedGrain>, max = MAX_GRAINS): GrainMap {
    const older = new Map(grains)
    return new GrainMap({ coarse, older, newer: new Map(), isComplete: older.size < max, max })
  }

  /** The last change of a grain. Null if it is unknown, so that only the version of the whole dataset is certain. */
  find(name: string): GrainState | null {
    const { coarse, older, newer, isComplete } = this.#contents
    const known = newer.get(name) ?? older.get(name)
    if (known !== undefined && known.version > coarse.version) return known
    return isComplete ? coarse : null
  }

  /** The last commit that may have changed every grain. */
  get coarse(): GrainState {
    return this.#contents.coarse
  }

  /** Number of known grains. */
  get size(): number {
    const { older, newer } = this.#contents
    let size = older.size
    for (const name of newer.keys()) if (!older.has(name)) size += 1
    return size
  }

  /** The grains after further commits, each of which named the grains that it changed. */
  with(changed: readonly NamedGrain[]): GrainMap {
    const contents = this.#contents
    const newer = new Map([...contents.newer, ...changed])
    if (newer.size <= MAX_NEWER) return new GrainMap({ ...contents, newer })
    const all = new Map([...contents.older, ...newer])
    if (all.size <= contents.max) return new GrainMap({ ...contents, older: all, newer: new Map() })
    // A dropped grain counts as changed with every commit.
    const newest = [...all].sort(([, a], [, b]) => b.version - a.version).slice(0, contents.max)
    return new GrainMap({ ...contents, older: new Map(newest), newer: new Map(), isComplete: false })
  }
}
