import type { DatasetName } from '../../../core/datasets.js'

/**
 * What an answer is read from: a dataset, or one of its grains as `candles/bitcoin`. A grain is a part of a dataset with its
 * own version. A commit that writes other grains only leaves the answer valid.
 */
export type DataPart = DatasetName | `${DatasetName}/${string}`

const SEPARATOR = '/'

/** Lower-case letters, digits, hyphens and points: an entity tag and a header can hold it. */
const GRAIN_NAME = /^[a-z0-9][a-z0-9.-]{0,99}$/

/** An answer that needs more grains depends on the whole datasets, so that entity tags and comparisons stay short. */
const MAX_GRAINS_OF_ANSWER = 16

/** Names a grain of a dataset. Throws a RangeError for a name that an entity tag cannot hold. */
export function grainOf(dataset: DatasetName, grain: string): DataPart {
  assertGrainName(grain)
  return `${dataset}${SEPARATOR}${grain}`
}

/** Whether an entity tag can hold the name. */
export function isGrainName(name: string): boolean {
  return GRAIN_NAME.test(name)
}

/** Throws a RangeError for a name that an entity tag cannot hold. */
export function assertGrainName(grain: string): void {
  if (!isGrainName(grain)) throw new RangeError(`${JSON.stringify(grain)} is not a name of a grain`)
}

export function datasetOf(part: DataPart): DatasetName {
  const at = part.indexOf(SEPARATOR)
  return (at < 0 ? part : part.slice(0, at)) as DatasetName // a part begins with the name of its dataset
}

/** The name of the grain; null for a whole dataset. */
export function grainNameOf(part: DataPart): string | null {
  const at = part.indexOf(SEPARATOR)
  return at < 0 ? null : part.slice(at + 1)
}

/** The datasets of parts, each once, by name. */
export function datasetsOf(parts: readonly DataPart[]): readonly DatasetName[] {
  return [...new Set(parts.map(datasetOf))].sort()
}

/**
 * Parts without repetition, sorted. A whole dataset replaces its grains, and with more than 16 grains the whole datasets
 * replace them all.
 */
export function mergeParts(parts: Iterable<DataPart>): readonly DataPart[] {
  const given = new Set(parts)
  const kept = [...given].filter((part) => grainNameOf(part) === null || !given.has(datasetOf(part)))
  const grains = kept.filter((part) => grainNameOf(part) !== null)
  return grains.length > MAX_GRAINS_OF_ANSWER ? datasetsOf(kept) : kept.sort()
}

/** The datasets that an answer is declared to read, those with given grains replaced by them. */
export function withGrains(reads: readonly DatasetName[], grains: readonly DataPart[]): readonly DataPart[] {
  if (grains.length === 0) return reads
  const grained = new Set(grains.map(datasetOf))
  return mergeParts([...reads.filter((dataset) => !grained.has(dataset)), ...grains])
}
