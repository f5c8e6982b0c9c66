import { buildOpenApi } from '../../src/gateway/rest/openapi/openapi.js'
import { publishedOperations } from '../../src/gateway/rest/routes/published-operation.js'
import { VERSION } from '../../src/platform/version.js'
import { restSchema } from '../../src/schema.js'

/** What the client is made from of the OpenAPI document: its types need neither examples nor headers. */
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-graphql'?: { readonly document: string }
}
interface Parameter {
  readonly in?: string
}
interface Response {
  readonly description: string
  readonly content?: Readonly<Record<string, unknown>>
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: unknown }
}

const JSON_TYPE = 'application/json'

/** The document as the gateway serves it. */
async function served(): Promise<OpenApi> {
  const serverUrl = 'http://127.0.0.1:4000'
  const options = { version: VERSION, serverUrl, sampleUrl: serverUrl, environment: 'production' } as const
  return (await buildOpenApi(restSchema, { ...options, examples: {} })) as unknown as OpenApi // it is one
}

/** The paths that answer JSON, with parameters, bodies and the answer of a success alone; exports are files. */
export async function clientOpenApi(): Promise<unknown> {
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
  const { parameters = [], responses: _, ...rest } = operation
  const own = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
  return [[method, { ...rest, parameters: own, responses: success }] as const]
}

/** A 201 or 204 before a 200, which such routes give to dry runs alone. Null for exports. */
function successOf({ responses }: Operation): Readonly<Record<string, Response>> | null {
  if (responses['204']) return { 204: { description: responses['204'].description } }
  for (const status of ['201', '200']) {
    const { description = '', content = {} } = responses[status] ?? {}
    if (JSON_TYPE in content)
      return { [status]: { description, content: { [JSON_TYPE]: content[JSON_TYPE] } } }
  }
  return null
}

/** Paths whose POST is a query in GraphQL: it changes nothing. */
export async function readsByPost(): Promise<readonly string[]> {
  return Object.entries((await served()).paths).flatMap(([path, { post }]) =>
    post?.['x-graphql']?.document.startsWith('query') ? [path] : [],
  )
}

/** The operations of /v1/operations, as one document. */
export async function clientOperations(): Promise<string> {
  const operations = await publishedOperations(restSchema)
  return operations.map(({ text }) => text).join('\n')
}
