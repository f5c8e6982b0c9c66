import { buildOpenApi } from '../../src/gateway/rest/openapi/openapi.js'
import { publishedOperations } from '../../src/gateway/rest/routes/published-operation.js'
import { restEndpoints } from '../../src/gateway/rest/routes/rest-route.js'
import { VERSION } from '../../src/platform/version.js'
import { restSchema } from '../../src/schema.js'

/** A JSON Schema of the document, as far as a client needs it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly maximum?: number
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Paths whose first page is the newest, although the rows of each page are in time order. */
export const NEWEST_PAGE_FIRST: readonly string[] = [
  '/v1/assets/{id}/ohlcv',
  '/v1/assets/{id}/exchanges/{exchange}/ohlcv',
]

/** The parts of the OpenAPI document that a client needs: neither examples nor headers. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-graphql'?: { readonly document: string }
}
export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in?: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}
interface Response {
  readonly description: string
  readonly content?: Content
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A route with a JSON response. */
export interface ClientRoute {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** Whether it changes nothing, so that a client may repeat it. */
  readonly isRead: boolean
  /** Whether a client may repeat it with an idempotency key. */
  readonly takesIdempotencyKey: boolean
}

export const JSON_TYPE = 'application/json'

/** The OpenAPI document of the gateway. */
async function served(): Promise<OpenApi> {
  const serverUrl = 'http://127.0.0.1:4000'
  const options = {
    version: VERSION,
    serverUrl,
    environment: 'production',
    form: 'full',
  } as const
  return (await buildOpenApi(restSchema, { ...options, examples: {} })) as unknown as OpenApi // it is one
}

/** The paths with JSON responses, with parameters, bodies and the successful response. Exports are omitted. */
export async function clientOpenApi(): Promise<OpenApi> {
  const { paths, components, ...document } = await served()
  const entries = Object.entries(paths).map(([path, operations]) => {
    return [path, Object.fromEntries(Object.entries(operations).flatMap(clientOperation))] as const
  })
  const kept = entries.filter(([, operations]) => Object.keys(operations).length > 0)
  return { ...document, paths: Object.fromEntries(kept), components: { schemas: components.schemas } }
}

function clientOperation([method, operation]: readonly [string, Operation]) {
  const success = successOf(operation)
  if (success === null) return []
  const { parameters = [], requestBody, responses: _, description, ...rest } = operation
  const own = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
  const texts = { description: description.replace(OTHER_FORMS, '') }
  const body = requestBody && { requestBody: { ...requestBody, content: schemasOf(requestBody.content) } }
  return [[method, { ...rest, ...texts, ...body, parameters: own, responses: success }] as const]
}

/** A body without its examples: those of its members say the same. */
function schemasOf(content: Content): Content {
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))
}

/** What clients do not send: forms of files, dry runs; and the GraphQL operation, which they have under the same name. */
const OTHER_FORMS =
  /\n\n(?:Also available as|The GraphQL operation) [^\n]*| `X-Dry-Run: cost` returns [^\n]*? instead\./g

/** The successful response: 201 or 204 if the route has it, because its 200 is for dry runs only. Null for exports. */
function successOf({ responses }: Operation): Readonly<Record<string, Response>> | null {
  if (responses['204']) return { 204: { description: responses['204'].description } }
  for (const status of ['201', '200']) {
    const { description = '', content = {} } = responses[status] ?? {}
    if (JSON_TYPE in content)
      return { [status]: { description, content: { [JSON_TYPE]: content[JSON_TYPE] } } }
  }
  return null
}

/** The routes of `clientOpenApi`, in its order. */
export async function clientRoutes(): Promise<readonly ClientRoute[]> {
  const [all, { paths }] = await Promise.all([served(), clientOpenApi()])
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method,
      path,
      operation,
      isRead: method === 'get' || isQuery(operation),
      takesIdempotencyKey: (all.paths[path]?.[method]?.parameters ?? []).some(({ $ref }) =>
        $ref?.endsWith('/Idempotency-Key'),
      ),
    })),
  )
}

function isQuery({ 'x-graphql': graphql }: Operation): boolean {
  return graphql?.document.startsWith('query') ?? false
}

/** By path, the parameters that are days. */
export async function dayParameters(): Promise<Readonly<Record<string, readonly string[]>>> {
  const routes = (await clientRoutes()).filter(({ method }) => method === 'get')
  const entries = routes.map(({ path, operation: { parameters = [] } }) => {
    return [
      path,
      parameters.filter(({ schema }) => schema.format === 'date').map(({ name }) => name),
    ] as const
  })
  return Object.fromEntries(entries.filter(([, names]) => names.length > 0))
}

/** By path, the members that lead to the rows of a list or series, unless it is `data`. */
export function rowMembers(): Readonly<Record<string, readonly string[]>> {
  const tables = restEndpoints(restSchema).flatMap(({ rest: { path, table } }) =>
    table === undefined || table.rows === 'data' ? [] : [[path, table.rows.split('.')] as const],
  )
  return Object.fromEntries(tables)
}

/** Paths whose POST changes nothing, because it is a query in GraphQL. */
export async function readsByPost(): Promise<readonly string[]> {
  return (await clientRoutes()).flatMap(({ method, path, isRead }) =>
    method === 'post' && isRead ? [path] : [],
  )
}

/** The operations of /v1/operations, as one document. */
export async function clientOperations(): Promise<string> {
  const operations = await publishedOperations(restSchema)
  return operations.map(({ text }) => text).join('\n')
}
