import { JSON_TYPE, PROBLEM_TYPE } from '../../../platform/request/json-type.js'
import { type WeightedName, weightedList } from '../../weighted-list.js'

/** What every route can produce; errors choose between the two. */
export const DEFAULT_MEDIA_TYPES = [JSON_TYPE, PROBLEM_TYPE] as const

/** Whether an Accept header admits one of the media types; no header admits all. */
export function isAcceptable(accept: string | null, produced: readonly string[]): boolean {
  if (accept === null || accept === '' || accept === '*/*') return true
  const ranges = weightedList(accept)
  return produced.some((type) => qualityOf(ranges, type) > 0)
}

/** Whether problem+json is asked for by name and before plain JSON: by quality, then by order. */
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
 * Which of the types offered an Accept header prefers: by quality, then by the order in which they are named, then
 * by that of the offer, so that the first is the default. It is also the answer where none is admitted.
 */
export function preferredType<Type extends string>(
  accept: string | null,
  offered: readonly [Type, ...Type[]],
): Type {
  const [first] = offered
  if (accept === null || accept === '' || accept === '*/*') return first
  const ranges = weightedList(accept)
  const ranked = offered.map((type) => {
    const place = ranges.findIndex((range) => range.name === type)
    return { type, quality: qualityOf(ranges, type), place: place < 0 ? ranges.length : place }
  })
  // The sort is stable: what neither quality nor place decides stays as offered.
  const [best] = ranked.sort((a, b) => b.quality - a.quality || a.place - b.place)
  return best && best.quality > 0 ? best.type : first
}

/** The most specific range that fits decides (RFC 9110 §12.5.1). */
function qualityOf(ranges: readonly WeightedName[], type: string): number {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  for (const wanted of [type, wildcard, '*/*']) {
    const range = ranges.find((candidate) => candidate.name === wanted)
    if (range) return range.weight
  }
  return 0
}
