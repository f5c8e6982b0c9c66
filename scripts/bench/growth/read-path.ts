import { randomInt } from 'node:crypto'
import type { Queries } from '../../../src/platform/database/database.js'
import type { Scale } from './scale.js'

/** One read of a store, with new arguments each time. */
export interface ReadPath {
  readonly name: string
  /** Throws for a wrong result, because a read that finds nothing would look fast. */
  read(queries: Queries, scale: Scale): Promise<void>
}

/** Returns a random whole number between both ends, inclusive. */
export function between(first: number, last: number): number {
  return randomInt(first, last + 1)
}

export function chooseAny<Of>(choices: readonly Of[]): Of {
  const chosen = choices[randomInt(choices.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}

/** Returns this many consecutive whole numbers from 1 to `last`. */
export function consecutive(count: number, last: number): readonly number[] {
  const first = between(1, last - count + 1)
  return Array.from({ length: count }, (_, index) => first + index)
}

export function expect(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what}: ${String(found)} instead of ${String(wanted)}`)
}
