import { type FieldProblem, invalid } from './errors.js'

/** More do not help the client, and each costs a comparison with every known name. */
export const MAX_PROBLEMS = 50

/** The problems of a request, in the order found, for one error that names all of them; at most fifty. */
export class Problems {
  readonly #list: FieldProblem[] = []

  add(field: string, message: string): void {
    if (!this.isFull) this.#list.push({ field, message })
  }

  get isFull(): boolean {
    return this.#list.length >= MAX_PROBLEMS
  }

  /** Throws an error with all problems, if there are any: by default a 422. */
  refuse(errorOf: (first: FieldProblem, ...others: FieldProblem[]) => Error = invalid): void {
    const [first, ...others] = this.#list
    if (first !== undefined) throw errorOf(first, ...others)
  }
}
