import { formatInstant } from '../format.js'

/** A version of a value and when it counts. */
export interface KnownVersion {
  /** The value, or what became of it. */
  readonly text: string
  readonly known_from: string
  /** Null for the current version. */
  readonly known_to: string | null
  /** Null if the version has no published instant. */
  readonly published_from: string | null
}

export type KnownBasis = 'observed' | 'published'

/** What a basis answers between two of the drawn instants; the positions are those of the instants. */
export interface KnownSpan {
  /** Null: nothing is known yet, or any more. */
  readonly text: string | null
  readonly start: number
  readonly end: number
}

/** The instants at which an answer changes, by any basis, oldest first. */
export function listInstants(versions: readonly KnownVersion[]): readonly string[] {
  const instants = versions.flatMap(({ known_from, known_to, published_from }) => [
    known_from,
    known_to,
    published_from,
  ])
  return [...new Set(instants.filter((instant) => instant !== null))].sort()
}

/** What a basis answers from each of the instants on; neighbours with the same answer are one span. */
export function listSpans(
  versions: readonly KnownVersion[],
  basis: KnownBasis,
  instants: readonly string[],
): readonly KnownSpan[] {
  const spans: (KnownSpan & { readonly version: KnownVersion | undefined })[] = []
  for (const [at, instant] of instants.entries()) {
    const version = versions.find((one) => isAnsweredAt(one, basis, instant))
    const last = spans.at(-1)
    const isSame = last !== undefined && last.version === version
    if (isSame) spans.pop()
    spans.push({
      version,
      text: version?.text ?? null,
      start: isSame ? last.start : at,
      end: at + 1,
    })
  }
  return spans
}

function isAnsweredAt(version: KnownVersion, basis: KnownBasis, instant: string): boolean {
  const from = basis === 'observed' ? version.known_from : version.published_from
  return from !== null && from <= instant && (version.known_to === null || version.known_to > instant)
}

/** When a value was published, learned and corrected, in sentences. `what` names the value. */
export function describeVersions(what: string, versions: readonly KnownVersion[]): string {
  const [first, ...corrections] = versions
  if (first === undefined) return `No version of ${what} is known.`
  const newest = corrections.at(-1)
  const { text, known_from, published_from } = first
  const sentences = [
    ...(published_from === null
      ? [`This gateway learned ${what}, ${text}, on ${formatInstant(known_from)}.`]
      : [
          `${text} counts as published from ${formatInstant(published_from)}.`,
          `This gateway learned it on ${formatInstant(known_from)}.`,
        ]),
    ...(corrections.length > 1 ? [`It learned ${corrections.length} later versions.`] : []),
    newest === undefined
      ? 'The value has not changed since.'
      : `The newest version, ${newest.text}, counts from ${formatInstant(newest.known_from)}.`,
  ]
  return sentences.join(' ')
}
