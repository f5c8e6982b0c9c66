import { countTypingErrors, suggest } from '../core/suggest.js'
import { REST_PREFIXES } from './paths.js'

/** Longer paths, and paths of more segments, get no suggestion, so that the work per request is bounded. */
const MAX_LENGTH = 200
const MAX_SEGMENTS = 8

/** A static segment is a better match than a parameter, which takes any value. */
const PARAMETER_COST = 0.1

/**
 * The path that a wrong one probably means: the template with the fewest typing errors in its segments, with the values that
 * the wrong path has for its parameters; else the same without the last segments. A path may lack its prefix, as in
 * /assets/bitcoin, or have another, as in /v2/assets. Null if no template is similar.
 */
export function findNearestPath(path: string, templates: readonly string[]): string | null {
  const segments = path.slice(1).split('/')
  if (path.length > MAX_LENGTH || segments.length > MAX_SEGMENTS) return null
  const split = templates.map((template) => template.slice(1).split('/'))
  const readings = toReadings(segments)
  for (let length = segments.length; length > 0; length -= 1) {
    const found = readings.flatMap((reading) => {
      const shorter = reading.slice(0, reading.length - (segments.length - length))
      return shorter.length === 0 ? [] : (findMatch(shorter, split) ?? [])
    })
    const [best] = found.toSorted((a, b) => a.cost - b.cost)
    if (best !== undefined) return best.path
  }
  return null
}

/** The segments as they are, then with the prefix of REST before them, and in place of the first one or two. */
function toReadings(segments: readonly string[]): readonly (readonly string[])[] {
  const prefixes = REST_PREFIXES.map((prefix) => prefix.slice(1))
  return [
    segments,
    ...[0, 1, 2].flatMap((dropped) =>
      segments.length > dropped ? prefixes.map((prefix) => [prefix, ...segments.slice(dropped)]) : [],
    ),
  ]
}

interface Match {
  readonly path: string
  readonly cost: number
}

function findMatch(segments: readonly string[], templates: readonly (readonly string[])[]): Match | null {
  let best: Match | null = null
  for (const template of templates) {
    const cost = template.length === segments.length ? costOf(segments, template) : null
    if (cost === null || (best !== null && best.cost <= cost)) continue
    const filled = template.map((part, at) => (part.startsWith('{') && segments[at]) || part)
    best = { path: `/${filled.join('/')}`, cost }
  }
  return best
}

/** The typing errors between the segments; null if one of them is not similar. */
function costOf(segments: readonly string[], template: readonly string[]): number | null {
  let cost = 0
  for (const [at, wanted] of template.entries()) {
    const given = segments[at] ?? ''
    if (given === wanted) continue
    if (wanted.startsWith('{')) {
      const suffix = wanted.slice(wanted.indexOf('}') + 1)
      if (!given.endsWith(suffix)) return null
      cost += given === suffix ? 1 : PARAMETER_COST
    } else {
      if (suggest(given, [wanted]) === null) return null
      cost += countTypingErrors(given.toLowerCase(), wanted.toLowerCase())
    }
  }
  return cost
}
