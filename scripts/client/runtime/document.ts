/**
 * A GraphQL document that knows the types of its result and its variables. Those that graphql-codegen makes with
 * `documentMode: 'string'` are such, too.
 */
export interface TypedDocument<Result, Variables> {
  toString(): string
  /** Only for types. */
  __apiType?: (variables: Variables) => Result
}

/** A document of your own: `new Document<Result, Variables>('query …')`. */
export class Document<Result, Variables = Readonly<Record<string, unknown>>>
  implements TypedDocument<Result, Variables>
{
  declare __apiType?: (variables: Variables) => Result
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Where a document has the word of another kind of operation, it is not sent twice. */
export function onlyReads(text: string): boolean {
  return !/\b(mutation|subscription)\b/.test(text)
}
