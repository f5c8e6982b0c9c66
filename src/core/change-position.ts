import type { Given } from './argument-parsers.js'
import { decodeCursor, encodeCursor } from './page.js'
import type { Problems } from './problems.js'

/** A position in the order of changes of all feeds. The pair is unique and rises with every commit. */
export interface ChangePosition {
  readonly computedAt: Date
  readonly diffId: number
}

/** A change in a message, with the members and the values that an item of the list of its feed has. */
export interface ChangeMessage extends ChangePosition {
  readonly cursor: string
  readonly item: Readonly<Record<string, unknown>>
}

/** Formats a position as an opaque text. */
export function changeCursor({ computedAt, diffId }: ChangePosition): string {
  return encodeCursor([computedAt.toISOString(), diffId])
}

/** Parses a cursor of `changeCursor` to its position; null for any other text. */
export function parseChangeCursor(text: string): ChangePosition | null {
  const [instant = '', id = ''] = decodeCursor(text, 2) ?? []
  const computedAt = new Date(instant)
  const diffId = Number(id)
  if (Number.isNaN(computedAt.getTime()) || !Number.isSafeInteger(diffId) || diffId < 1) return null
  return changeCursor({ computedAt, diffId }) === text ? { computedAt, diffId } : null
}

/** Parses a cursor to its position and adds a problem for an invalid one; null when no cursor is given. */
export function parseChangesCursor(problems: Problems, text: Given<string>): ChangePosition | null {
  if (text == null) return null
  const place = parseChangeCursor(text)
  if (place === null) problems.add('cursor', 'must be the next_cursor of a page of changes')
  return place
}

/** A page of changes. `nextCursor` is the cursor of the next page, null on the last one. */
export interface ChangePage<Change> {
  readonly items: readonly Change[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** The changes up to the limit, and the cursor of the next page if more follow. */
export function pageOfChanges<Change extends ChangePosition>(
  found: readonly Change[],
  limit: number,
): ChangePage<Change> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const hasMore = found.length > limit
  return { items, hasMore, nextCursor: hasMore && last ? changeCursor(last) : null }
}
