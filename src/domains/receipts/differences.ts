/** Further differences say nothing new. */
const MAX_DIFFERENCES = 20

/** Members that say how an answer was made and charged. */
const OF_THE_RUN: ReadonlySet<string> = new Set(['meta.cache_hit', 'extensions'])

/** Members that describe the datasets at the time of the answer. */
const OF_THE_STATE: ReadonlySet<string> = new Set(['meta', '_meta'])

export interface Differences {
  /** Paths of members with other values, at most 20; those of `meta` and `_meta` last. */
  readonly paths: readonly string[]
  /** Whether a member outside `meta` and `_meta` has another value. */
  readonly isOfData: boolean
}

/**
 * Compares two answers to one request, the second as of the instant of the first. `meta.cache_hit` and the costs of GraphQL
 * do not count, and neither does an `as_of` that repeats the instant.
 */
export function findDifferences(before: unknown, after: unknown, instant: string): Differences {
  const ofData: string[] = []
  const ofState: string[] = []
  const compare = (one: unknown, other: unknown, path: readonly string[]): void => {
    if (ofData.length >= MAX_DIFFERENCES || Object.is(one, other)) return
    if (hasMembers(one) && hasMembers(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
        compare(one[name], other[name], [...path, name])
      return
    }
    if (OF_THE_RUN.has(path.slice(-2).join('.')) || OF_THE_RUN.has(path[0] ?? '')) return
    if (path.at(-1) === 'as_of' && one === null && other === instant) return
    const list = path.some((name) => OF_THE_STATE.has(name)) ? ofState : ofData
    list.push(path.join('.'))
  }
  compare(before, after, [])
  return { paths: [...ofData, ...ofState].slice(0, MAX_DIFFERENCES), isOfData: ofData.length > 0 }
}

/** Whether the value is an object or a list. */
function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
