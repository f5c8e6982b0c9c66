import type { Given } from '../../core/argument-parsers.js'
import { decodeCursor, encodeCursor } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import { DAY_MS } from '../../core/time.js'

/** The position of a row in the order in which rows became known: by instant, then by key. */
export interface RevisionCursor {
  readonly knownFrom: Date
  /** The text of the row's key; rows of one key are revisions of one another. */
  readonly key: string
}

export function compareRevisions(a: RevisionCursor, b: RevisionCursor): number {
  const difference = a.knownFrom.getTime() - b.knownFrom.getTime()
  if (difference !== 0) return difference
  if (a.key === b.key) return 0
  return a.key < b.key ? -1 : 1
}

/** The cursor as opaque text. */
export function encodeRevisionCursor({ knownFrom, key }: RevisionCursor): string {
  return encodeCursor([knownFrom.toISOString(), key])
}

/** The cursor that `encodeRevisionCursor` wrote; null for any other text. */
export function decodeRevisionCursor(text: string): RevisionCursor | null {
  const [instant = '', key = ''] = decodeCursor(text, 2) ?? []
  const place = { knownFrom: new Date(instant), key }
  return !Number.isNaN(place.knownFrom.getTime()) && encodeRevisionCursor(place) === text ? place : null
}

/** A stream follows rows of this many days; a cursor may not go back further. */
export const FOLLOWED_DAYS = 14

/** The cursor of an argument, or null. Adds a problem for an invalid cursor and for one that goes back too far. */
export function parseRevisionCursor(
  problems: Problems,
  text: Given<string>,
  now: Date,
): RevisionCursor | null {
  if (text == null) return null
  const place = decodeRevisionCursor(text)
  if (place === null) problems.add('cursor', 'must be the cursor of an event of this subscription')
  else if (place.knownFrom < followedSince(now)) {
    const message = `must be at most ${FOLLOWED_DAYS} days old; got one of ${place.knownFrom.toISOString()}. Read the series, then subscribe without a cursor`
    problems.add('cursor', message)
  }
  return place
}

/** The earliest instant that a stream follows. */
export function followedSince(now: Date): Date {
  return new Date(now.getTime() - FOLLOWED_DAYS * DAY_MS)
}
