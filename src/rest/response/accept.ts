/** What every route can produce; errors choose between the two. */
export const DEFAULT_MEDIA_TYPES = ['application/json', 'application/problem+json'] as const

/** Whether an Accept header admits one of the media types; no header admits all. */
export function isAcceptable(accept: string | null, produced: readonly string[]): boolean {
  if (accept === null || accept === '' || accept === '*/*') return true
  const ranges = parseAccept(accept)
  return produced.some((type) => qualityOf(ranges, type) > 0)
}

/** Whether problem+json is asked for by name and before plain JSON: by quality, then by order. */
export function prefersProblem(accept: string | null): boolean {
  if (accept?.includes('problem+json') !== true) return false
  const ranges = parseAccept(accept)
  const problem = ranges.findIndex((range) => range.type === 'application/problem+json')
  const quality = ranges[problem]?.quality ?? 0
  if (quality === 0) return false
  const json = qualityOf(ranges, 'application/json')
  const plain = ranges.findIndex((range) => range.type === 'application/json')
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
  const ranges = parseAccept(accept)
  const ranked = offered.map((type) => {
    const place = ranges.findIndex((range) => range.type === type)
    return { type, quality: qualityOf(ranges, type), place: place < 0 ? ranges.length : place }
  })
  // The sort is stable: what neither quality nor place decides stays as offered.
  const [best] = ranked.sort((a, b) => b.quality - a.quality || a.place - b.place)
  return best && best.quality > 0 ? best.type : first
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function parseAccept(accept: string): readonly MediaRange[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((text) => {
      const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      const quality = q === undefined ? 1 : Number(q.slice(2))
      return { type, quality: Number.isFinite(quality) ? quality : 0 }
    })
}

/** The most specific range that fits decides (RFC 9110 §12.5.1). */
function qualityOf(ranges: readonly MediaRange[], type: string): number {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  for (const wanted of [type, wildcard, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted)
    if (range) return range.quality
  }
  return 0
}
