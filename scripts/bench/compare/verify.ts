import type { Translation } from '../shared/cases/translations.js'

/** Members that depend on the time of the response, on the cache, and on the caller's usage. */
const VOLATILE: ReadonlySet<string> = new Set(['data_freshness_seconds', 'cache_hit', 'extensions'])

/** Derived figures have 15 significant digits. Arithmetic with doubles may round the last digit differently. */
const TOLERANCE = 1e-14

/**
 * Throws when two JSON responses, or their compared parts, differ. The error names the first member that differs.
 */
export function assertSameAnswers(
  name: string,
  expected: Buffer,
  given: Buffer,
  translation: Translation | null = null,
): void {
  const [wanted, found] = [expected, given].map((body) => JSON.parse(body.toString('utf8')) as unknown)
  const difference =
    translation === null
      ? differenceOf(wanted, found, '$')
      : differenceOf(translation.partOfGateway(wanted), translation.partOfOwn(found), '$')
  if (difference !== null) throw new Error(`${name} does not answer as the gateway does: ${difference}`)
}

/** The path and both values of the first difference; null if both are equal. */
function differenceOf(wanted: unknown, found: unknown, path: string): string | null {
  if (isRecord(wanted) && isRecord(found)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      if (VOLATILE.has(key)) continue
      const difference = differenceOf(wanted[key], found[key], `${path}.${key}`)
      if (difference !== null) return difference
    }
    return null
  }
  if (isSame(wanted, found)) return null
  return `${path} is ${shown(found)} instead of ${shown(wanted)}`
}

/** Number of characters of a value that are shown. */
const SHOWN = 300

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, SHOWN)
}

function isSame(wanted: unknown, found: unknown): boolean {
  if (typeof wanted !== 'number' || typeof found !== 'number') return wanted === found
  return Math.abs(wanted - found) <= TOLERANCE * Math.abs(wanted)
}

/** Compares objects and lists. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
