/**
 * A GraphQL document with the types of its result and its variables. Documents of graphql-codegen with
 * `documentMode: 'string'` have this type too.
 */
export interface TypedDocument<Result, Variables> {
  toString(): string
  /** Only for types. */
  __apiType?: (variables: Variables) => Result
}

/** Creates a document: `new Document<Result, Variables>('query …')`. */
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

/**
 * Creates the document of a query with one field of the same name, whose arguments are all its variables. `rest` is the text
 * after them, to the end of the document.
 *
 * @public The generated operations use it.
 */
export function createQuery<Result, Variables>(
  name: string,
  rest: string,
  variables = '',
): Document<Result, Variables> {
  if (variables === '') return new Document(`query ${name}{${name}${rest}`)
  const given = Array.from(variables.matchAll(/\$(\w+):/g), ([, variable]) => `${variable}:$${variable}`)
  return new Document(`query ${name}(${variables}){${name}(${given.join(' ')})${rest}`)
}

/** Whether the document contains only queries, so that it may be repeated. Any other keyword counts as another operation. */
export function onlyReads(text: string): boolean {
  return !/\b(mutation|subscription)\b/.test(text)
}
