import { type FieldProblem, invalid } from './errors.js'

/** More tell the client nothing new, and each costs a comparison with every known name. */
export const MAX_PROBLEMS = 50

/** What is wrong with a request, in the order it was found, for one error that names all of it; at most fifty. */
export class Problems {
  readonly #list: FieldProblem[] = []

  add(field: string, message: string): void {
    if (!this.isFull) this.#list.push({ field, message })
  }

  get isFull(): boolean {
    return this.#list.length >= MAX_PROBLEMS
  }

  /** Throws the error that names all problems, where there are any: a 422 unless another is given. */
  refuse(errorOf: (first: FieldProblem, ...others: FieldProblem[]) => Error = invalid): void {
    const [first, ...others] = this.#list
    if (first !== undefined) throw errorOf(first, ...others)
  }
}
