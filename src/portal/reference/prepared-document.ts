/** The parts of the gateway's OpenAPI document that the page reads. */
export interface OpenApiView {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> }
}

interface Operation {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /**
   * Name and text of the equivalent GraphQL operation. The served document has the name only; a file that is downloaded has no
   * equivalent.
   */
  readonly 'x-graphql'?: { readonly operation: string; readonly document?: string }
  readonly description?: string
}

/** A GraphQL operation as the gateway lists it. */
export interface GraphQLOperation {
  readonly operation: string
  readonly document: string
}

/** The page fills in the key of `ApiKey`. `YourKey` names the same header and stays empty. */
export const FILLED_SCHEME = 'ApiKey'
const EMPTY_SCHEME = 'YourKey'

/**
 * Prepares the document for the page. A link leads to the GraphQL operation in GraphiQL. With a shared key filled in, operations
 * that change data require the reader's own key.
 */
export function preparedDocument(
  document: OpenApiView,
  operations: readonly GraphQLOperation[],
  { hasSharedKey }: { hasSharedKey: boolean },
): OpenApiView {
  const byName = new Map(operations.map((listed) => [listed.operation, listed]))
  const prepared = (method: string, served: Operation): Operation => {
    const twin = served['x-graphql']
    const operation: Operation =
      twin === undefined ? served : { ...served, 'x-graphql': byName.get(twin.operation) ?? twin }
    return {
      ...operation,
      ...withExplorerLink(operation),
      ...(hasSharedKey && !onlyReads(method, operation) ? { security: withoutSharedKey(operation) } : {}),
    }
  }
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const entries = Object.entries(operations).map(([method, operation]) => [
      method,
      prepared(method, operation),
    ])
    return [path, Object.fromEntries(entries)] as const
  })
  const { components } = document
  const own = { ...components.securitySchemes[FILLED_SCHEME], description: 'Your own API key.' }
  const securitySchemes = hasSharedKey
    ? { ...components.securitySchemes, [EMPTY_SCHEME]: own }
    : components.securitySchemes
  return { ...document, paths: Object.fromEntries(paths), components: { ...components, securitySchemes } }
}

/** Adds a link to GraphiQL to the description. */
function withExplorerLink({ description, 'x-graphql': twin }: Operation): Pick<Operation, 'description'> {
  if (description === undefined || twin === undefined) return {}
  const link = `[Open it in GraphiQL](/graphql?operation=${encodeURIComponent(twin.operation)})`
  return { description: `${description} ${link}.` }
}

/** Whether a request from the page only reads data, according to the document. */
export function requestReads({ paths }: OpenApiView, method: string, path: string): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  const operation = paths[path]?.[method.toLowerCase()]
  return operation !== undefined && onlyReads(method.toLowerCase(), operation)
}

/** A POST without a GraphQL query counts as a change. */
function onlyReads(method: string, operation: Operation): boolean {
  return method === 'get' || /^query\b/.test(operation['x-graphql']?.document ?? '')
}

/** Operations without security stay open. */
function withoutSharedKey({ security }: Operation): NonNullable<Operation['security']> {
  return security ?? [{ [EMPTY_SCHEME]: [] }, { bearer: [] }]
}
