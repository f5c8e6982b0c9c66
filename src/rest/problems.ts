import type { FieldProblem } from '../core/errors.js'

/** More tell the client nothing new, and each costs a comparison with every known name. */
const MAX_PROBLEMS = 50

const MAX_SHOWN_TEXT = 60

/** What is wrong with a request, in the order it was found; after the fiftieth nothing is added. */
export class Problems {
  readonly #list: FieldProblem[] = []

  add(field: string, message: string): void {
    if (!this.isFull) this.#list.push({ field, message })
  }

  get isFull(): boolean {
    return this.#list.length >= MAX_PROBLEMS
  }

  get list(): readonly FieldProblem[] {
    return this.#list
  }
}

/** A value as it is repeated to the client: short, and containers by their kind only. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value !== null && typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > MAX_SHOWN_TEXT ? `${value.slice(0, MAX_SHOWN_TEXT)}…` : value)
}
