import type { Translation } from '../shared/cases/translations.js'

/** Members that differ with the second of the answer, with who kept it, and with what the caller has used so far. */
const VOLATILE: ReadonlySet<string> = new Set(['data_freshness_seconds', 'cache_hit', 'extensions'])

/** Derived figures are published with 15 significant digits; arithmetic in doubles may round the last one otherwise. */
const TOLERANCE = 1e-14

/**
 * Throws Error naming the first member that differs when two JSON answers, or the parts of them that are to be
 * compared, do not say the same.
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

/** The path and both values of the first difference; null when there is none. */
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

/** Characters of a value that are shown. */
const SHOWN = 300

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, SHOWN)
}

function isSame(wanted: unknown, found: unknown): boolean {
  if (typeof wanted !== 'number' || typeof found !== 'number') return wanted === found
  return Math.abs(wanted - found) <= TOLERANCE * Math.abs(wanted)
}

/** Objects and lists alike. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
