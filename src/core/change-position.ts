import type { Given } from './argument-parsers.js'
import { decodeCursor, encodeCursor } from './page.js'
import type { Problems } from './problems.js'

/** A position in the order of changes of all feeds. The pair is unique and rises with every commit. */
export interface ChangePosition {
  readonly computedAt: Date
  readonly diffId: number
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
