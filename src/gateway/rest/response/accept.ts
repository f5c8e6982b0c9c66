import { JSON_TYPE, PROBLEM_TYPE } from '../../../platform/request/json-type.js'
import { type WeightedName, weightedList } from '../../weighted-list.js'

/** Media types that every route can produce. Errors use one of the two. */
export const DEFAULT_MEDIA_TYPES = [JSON_TYPE, PROBLEM_TYPE] as const

/** Whether an Accept header allows one of the media types. Without the header, all are allowed. */
export function isAcceptable(accept: string | null, produced: readonly string[]): boolean {
  if (accept === null || accept === '' || accept === '*/*') return true
  const ranges = weightedList(accept)
  return produced.some((type) => qualityOf(ranges, type) > 0)
}

/** Whether Accept names problem+json and prefers it to JSON by quality, then by order. */
export function prefersProblem(accept: string | null): boolean {
  if (accept?.includes('problem+json') !== true) return false
  const ranges = weightedList(accept)
  const problem = ranges.findIndex((range) => range.name === PROBLEM_TYPE)
  const quality = ranges[problem]?.weight ?? 0
  if (quality === 0) return false
  const json = qualityOf(ranges, JSON_TYPE)
  const plain = ranges.findIndex((range) => range.name === JSON_TYPE)
  return quality > json || (quality === json && (plain < 0 || problem < plain))
}

/**
 * The offered type that an Accept header prefers: by quality, then by the order in Accept, then by the order of the offer.
 * Returns the first offered type if none is allowed.
 */
export function preferredType<Type extends string>(
  accept: string | null,
  offered: readonly [Type, ...Type[]],
): Type {
  const [first] = offered
  if (accept === null || accept === '' || accept === '*/*') return first
  const ranges = weightedList(accept)
  const ranked = offered.map((type) => {
    const index = ranges.findIndex((range) => range.name === type)
    return { type, quality: qualityOf(ranges, type), index: index < 0 ? ranges.length : index }
  })
  // The sort is stable, so ties keep the order of the offer.
  const [best] = ranked.sort((a, b) => b.quality - a.quality || a.index - b.index)
  return best && best.quality > 0 ? best.type : first
}

/** The most specific matching range decides (RFC 9110 §12.5.1). */
function qualityOf(ranges: readonly WeightedName[], type: string): number {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  for (const wanted of [type, wildcard, '*/*']) {
    const range = ranges.find((candidate) => candidate.name === wanted)
    if (range) return range.weight
  }
  return 0
}
