import type { FieldProblem } from '../../core/errors.js'

/** More tell the client nothing new, and each costs a comparison with every known name. */
const MAX_PROBLEMS = 50

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
