import { buildOpenApi } from '../../src/gateway/rest/openapi/openapi.js'
import { publishedOperations } from '../../src/gateway/rest/routes/published-operation.js'
import { VERSION } from '../../src/platform/version.js'
import { restSchema } from '../../src/schema.js'

/** The parts of the OpenAPI document that the client needs: neither examples nor headers. */
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

/** The OpenAPI document of the gateway. */
async function served(): Promise<OpenApi> {
  const serverUrl = 'http://127.0.0.1:4000'
  const options = {
    version: VERSION,
    serverUrl,
    sampleUrl: serverUrl,
    environment: 'production',
    form: 'full',
  } as const
  return (await buildOpenApi(restSchema, { ...options, examples: {} })) as unknown as OpenApi // it is one
}

/** The paths with JSON responses, with parameters, bodies and the successful response. Exports are omitted. */
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

/** Paths whose POST changes nothing, because it is a query in GraphQL. */
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
