/** What is read of the gateway's own OpenAPI document. */
export interface OpenApiView {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> }
}

interface Operation {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-codeSamples'?: readonly CodeSample[]
  /** The operation with the same answer; files have none. */
  readonly 'x-graphql'?: { readonly operation: string; readonly document: string }
  readonly description?: string
}

interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** The scheme whose key the page fills in, and the one of the same header that stays empty. */
export const FILLED_SCHEME = 'ApiKey'
const EMPTY_SCHEME = 'YourKey'

/**
 * The document as the page shows it: the samples ask the gateway that the page is from, the operation of GraphQL is one
 * of them and opens in GraphiQL, and with a key for everybody filled in, what changes something asks for the
 * reader's own key.
 */
export function preparedDocument(
  document: OpenApiView,
  { sampleUrl, origin, hasSharedKey }: { sampleUrl: string; origin: string; hasSharedKey: boolean },
): OpenApiView {
  const prepared = (method: string, operation: Operation): Operation => ({
    ...operation,
    ...withExplorerLink(operation),
    'x-codeSamples': samplesOf(operation, sampleUrl, origin),
    ...(hasSharedKey && !onlyReads(method, operation) ? { security: withoutSharedKey(operation) } : {}),
  })
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const entries = Object.entries(operations).map(([method, operation]) => [
      method,
      prepared(method, operation),
    ])
    return [path, Object.fromEntries(entries)] as const
  })
  const { components } = document
  const own = { ...components.securitySchemes[FILLED_SCHEME], description: 'A key of your own.' }
  const securitySchemes = hasSharedKey
    ? { ...components.securitySchemes, [EMPTY_SCHEME]: own }
    : components.securitySchemes
  return { ...document, paths: Object.fromEntries(paths), components: { ...components, securitySchemes } }
}

function samplesOf(operation: Operation, sampleUrl: string, origin: string): readonly CodeSample[] {
  const samples = operation['x-codeSamples'] ?? []
  const twin = operation['x-graphql']
  return [
    ...samples.map((sample) => ({ ...sample, source: sample.source.replaceAll(sampleUrl, origin) })),
    ...(twin === undefined ? [] : [{ lang: 'graphql', label: 'GraphQL', source: twin.document }]),
  ]
}

/** The description of what has an operation of GraphQL leads to it in the explorer. */
function withExplorerLink({ description, 'x-graphql': twin }: Operation): Pick<Operation, 'description'> {
  if (description === undefined || twin === undefined) return {}
  const link = `[Open it in GraphiQL](/graphql?operation=${encodeURIComponent(twin.operation)})`
  return { description: `${description} ${link}.` }
}

/** Whether a request made on the page only reads, by the routes of the document. */
export function requestReads({ paths }: OpenApiView, method: string, path: string): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  const operation = paths[path]?.[method.toLowerCase()]
  return operation !== undefined && onlyReads(method.toLowerCase(), operation)
}

/** What is not known to read alone counts as a change. */
function onlyReads(method: string, operation: Operation): boolean {
  return method === 'get' || /^query\b/.test(operation['x-graphql']?.document ?? '')
}

/** Open operations stay open. */
function withoutSharedKey({ security }: Operation): NonNullable<Operation['security']> {
  return security ?? [{ [EMPTY_SCHEME]: [] }, { bearer: [] }]
}
