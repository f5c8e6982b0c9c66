import type { GraphQLSchema } from 'graphql'
import { ERROR_TABLE, type ErrorCode } from '../../../core/errors.js'
import { isScope } from '../../../policy/scopes.js'
import { EXTENSIONS, FORMAT_NAMES, TEXT_MEDIA_TYPES, type TextMediaType } from '../response/export-type.js'
import { FORMAT } from '../response/format-parameter.js'
import { compileTable } from '../response/table.js'
import { type PublishedOperation, publishedOperations } from '../routes/published-operation.js'
import { argumentsByPlace, exportPath, type RestEndpoint, restEndpoints } from '../routes/rest-route.js'
import {
  ANSWER_HEADERS,
  ERROR_SCHEMAS,
  errorResponses,
  headerComponents,
  headerReferences,
  SECURITY_SCHEMES,
} from './components.js'
import { EXPORT_HEADERS, FILES_TEXT, fileContent, provenanceHeaders } from './export-content.js'
import type { JsonSchema } from './json-schema.js'
import { withListBounds } from './list-bounds.js'
import { lifeOf, meterOf, notModifiedName, notModifiedResponses } from './not-modified.js'
import type { OpenApiForm } from './openapi-form.js'
import { descriptionOfOperation } from './operation/operation-text.js'
import { releaseFileOperation } from './operation/release-file-operation.js'
import { createParameter, createRequestBody, namedBodies } from './operation/request.js'
import { createRequestHeaders, formatParameter, REQUEST_HEADERS } from './operation/request-headers.js'
import { type AnswerExample, type Paths, withAnswerExamples } from './operation/responses.js'
import { sharedParameters, shortened } from './shared-parameters.js'
import { componentReference, schemaWithoutNull, typeSchemas } from './types.js'

export interface OpenApiInfo {
  /** The package version. */
  readonly version: string
  /** Base URL of the paths, absolute without a slash at the end, or / if the gateway does not know its address. */
  readonly serverUrl: string
  readonly environment: 'production' | 'local development'
  readonly form: OpenApiForm
  /** Real responses by operation name. */
  readonly examples?: Readonly<Record<string, AnswerExample>>
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: JsonSchema
  readonly servers: readonly JsonSchema[]
  readonly tags: readonly JsonSchema[]
  readonly security: readonly JsonSchema[]
  /** Operations by path and lower-case method. */
  readonly paths: Paths
  readonly components: Readonly<Record<string, JsonSchema>>
}

const DESCRIPTION = `Market data with freshness, provenance and point-in-time history in every response.

A first request, with the address of this gateway in \`URL\` and your key in \`KEY\`:

\`\`\`sh
curl -H "X-API-Key: $KEY" "$URL/v1/assets/bitcoin"
\`\`\`

Its answer begins with \`{"data": {"asset_id": 1, "ticker": "BTC", "name": "Bitcoin", …\`. See
[First requests](/docs/guides/first-requests) for JavaScript and Python.

Send your key in \`X-API-Key\`. Unknown parameters and body fields are errors. All errors have the same body, or
problem+json if \`Accept\` prefers it. GET routes support HEAD too. Lists and series are also available as CSV, NDJSON,
Parquet and Arrow: set \`format\` or \`Accept\`, or append \`.csv\`, \`.ndjson\`, \`.parquet\` or \`.arrow\` to the path. With \`X-Dry-Run: cost\` a request does not run, but returns
its price as \`{"cost": …}\`. With \`Prefer: return=minimal\` the members of \`meta\` and \`_meta\` that are null are left out.

The same data is available through GraphQL at \`/graphql\`, which accepts the SHA-256 of an operation instead of its text
(automatic persisted queries). \`x-graphql\` of a route names the equivalent GraphQL operation; the \`Link\` header with
\`rel="alternate"\` points to it. See also the [list of all operations](/v1/operations).

[/openapi.json](/openapi.json) describes each route once, with its JSON. In [/openapi-full.json](/openapi-full.json) CSV and
NDJSON are operations of their own. Generate typed clients from either.`

/** Builds the OpenAPI 3.1 document of the REST sub-graph from the descriptions of the GraphQL schema. */
export async function buildOpenApi(schema: GraphQLSchema, info: OpenApiInfo): Promise<OpenApiDocument> {
  const endpoints = restEndpoints(schema)
  const operations = await publishedOperations(schema)
  const files = releaseFileOperation(endpoints)
  const shared = info.form === 'short' ? sharedParameters(endpoints) : {}
  return {
    openapi: '3.1.0',
    info: {
      title: 'Market data gateway',
      version: info.version,
      description: DESCRIPTION,
      contact: buildContact(info),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: info.serverUrl, description: `This gateway (${info.environment}).`, 'x-internal': false },
    ],
    tags: tagsOf(endpoints),
    security: [{ ApiKey: [] }, { bearer: [] }],
    paths: {
      ...withAnswerExamples(pathsOf(endpoints, operations, shared, info), info.examples ?? {}),
      ...files.paths,
    },
    components: {
      schemas: {
        ...withListBounds(typeSchemas(schema), endpoints),
        ...namedBodies(endpoints),
        ...ERROR_SCHEMAS,
      },
      parameters: {
        ...(info.form === 'short' ? { [FORMAT]: formatParameter(FILES_TEXT) } : {}),
        ...shared,
        ...REQUEST_HEADERS,
      },
      responses: {
        ...notModifiedResponses(endpoints),
        ...errorResponses(
          new Set([...endpoints.flatMap((endpoint) => [...errorsOf(endpoint)]), ...files.errors]),
        ),
      },
      headers: headerComponents(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** The contact has a URL only if the gateway knows its own address. */
function buildContact({ serverUrl }: OpenApiInfo): JsonSchema {
  const name = 'Operator of this gateway'
  return URL.canParse(serverUrl) ? { name, url: `${serverUrl}/docs` } : { name }
}

/** The subject of each tag, as the reference shows it. The tags themselves are in links to operations. */
const SUBJECTS: Readonly<Record<string, string>> = {
  access: 'Account, keys and use',
  sql: 'SQL logins',
  assets: 'Assets',
  discover: 'Tickers',
  candles: 'Prices of crypto assets',
  'ai analysis': 'Analyses',
  calendars: 'Trading days',
  commodities: 'Commodities',
  datasets: 'Freshness of the data',
  etf: 'ETFs',
  stocks: 'Stocks and filings',
  forex: 'Exchange rates',
  macro: 'Macro series',
  newsletter: 'Newsletter',
  'on-chain': 'On-chain figures',
  fundamentals: 'Fundamentals of crypto assets',
  receipts: 'Receipts',
  releases: 'Releases as files',
  sanctions: 'Sanctions screening',
  'star schema': 'Star schema',
  webhooks: 'Webhooks',
}

/** A tag without a subject, such as one of an operator's own endpoint, is shown by its name. */
function tagsOf(endpoints: readonly RestEndpoint[]): readonly JsonSchema[] {
  const names = [...new Set(endpoints.map((endpoint) => endpoint.rest.tag))]
  return names.map((name) => {
    const summaries = endpoints
      .filter((endpoint) => endpoint.rest.tag === name)
      .map(({ endpoint }) => endpoint.summary)
    return { name, 'x-displayName': SUBJECTS[name] ?? name, description: `${summaries.join('; ')}.` }
  })
}

function pathsOf(
  endpoints: readonly RestEndpoint[],
  operations: readonly PublishedOperation[],
  shared: Readonly<Record<string, JsonSchema>>,
  { form }: OpenApiInfo,
): Paths {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [at, endpoint] of endpoints.entries()) {
    const { path, method } = endpoint.rest
    const twin = operations[at]
    if (twin === undefined) throw new Error(`${path} has no published operation`)
    const operation = (file: TextMediaType | null) => operationOf(endpoint, file, twin, shared, form)
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(null) }
    for (const type of endpoint.rest.table && form === 'full' ? TEXT_MEDIA_TYPES : [])
      paths[exportPath(path, type)] = { get: operation(type) }
  }
  return paths
}

/** `file` is the export format, or null for JSON. `twin` is the equivalent GraphQL operation. */
function operationOf(
  endpoint: RestEndpoint,
  file: TextMediaType | null,
  twin: PublishedOperation,
  shared: Readonly<Record<string, JsonSchema>>,
  form: OpenApiForm,
): JsonSchema {
  const { field, rest, endpoint: spec } = endpoint
  const { path, query, body } = argumentsByPlace(endpoint)
  const scope = isScope(spec.access) ? spec.access : null
  const parameters = [
    ...path.map((argument) => shortened(createParameter(argument, 'path'), shared)),
    ...query.map((argument) => shortened(createParameter(argument, 'query'), shared)),
    ...(rest.table && form === 'short' ? [componentReference('parameters', FORMAT)] : []),
    ...createRequestHeaders(endpoint, file),
  ]
  return {
    operationId: file === null ? field.name : `${field.name}_${EXTENSIONS[file]}`,
    tags: [rest.tag],
    ...(file === null && spec.keywords !== undefined ? { 'x-keywords': spec.keywords } : {}),
    summary: file === null ? spec.summary : `${spec.summary}, as ${FORMAT_NAMES[file]}`,
    description: descriptionOfOperation(endpoint, file, twin, form),
    ...(field.deprecationReason ? { deprecated: true } : {}),
    parameters,
    ...(body.length > 0 ? { requestBody: createRequestBody(body, rest.bodyName) } : {}),
    responses: responsesOf(endpoint, file),
    ...(spec.access === 'open' ? { security: [] } : {}),
    ...(scope ? { 'x-required-scope': scope } : {}),
    // An export contains only the rows of the operation's response, so it is not equivalent.
    ...(file === null ? { 'x-graphql': graphqlOf(twin, form) } : {}),
  }
}

function graphqlOf({ name, text }: PublishedOperation, form: OpenApiForm): JsonSchema {
  return { operation: name, ...(form === 'full' ? { document: text } : {}) }
}

function responsesOf(endpoint: RestEndpoint, file: TextMediaType | null): JsonSchema {
  const status = endpoint.rest.status ?? 200
  // JavaScript sorts integer keys in ascending order, so the success comes first.
  const responses: Record<string, JsonSchema> = { [status]: successOf(endpoint, status, file) }
  if (endpoint.rest.method === 'GET')
    responses[304] = componentReference('responses', notModifiedName(endpoint))
  for (const code of errorsOf(endpoint))
    responses[ERROR_TABLE[code].status] = componentReference('responses', code)
  return responses
}

function successOf(
  { field, rest, endpoint }: RestEndpoint,
  status: number,
  file: TextMediaType | null,
): JsonSchema {
  const paging = rest.table ? (['X-Total-Count'] as const) : []
  const headers = headerReferences([
    ...ANSWER_HEADERS,
    'Link',
    ...meterOf(endpoint),
    ...lifeOf(endpoint, rest.method),
    ...paging,
  ])
  if (status === 204) return { description: 'Done. The response has no body.', headers }
  const content =
    rest.table && file !== null
      ? fileContent(compileTable(field, rest.table), file)
      : // A successful response is never null, although the field's type allows null.
        { 'application/json': { schema: schemaWithoutNull(field.type) } }
  return {
    description: status === 201 ? 'Created.' : 'Success.',
    headers: { ...headers, ...(file === null ? provenanceHeaders(field.type) : EXPORT_HEADERS) },
    content,
  }
}

/** The errors that every endpoint of this kind can raise, and those that its field declares. */
function errorsOf(endpoint: RestEndpoint): ReadonlySet<ErrorCode> {
  const { access, errors } = endpoint.endpoint
  const { path, body } = argumentsByPlace(endpoint)
  return new Set<ErrorCode>([
    'bad_request',
    ...(access === 'open' ? [] : (['unauthorized'] as const)),
    ...(isScope(access) ? (['forbidden'] as const) : []),
    ...(path.length > 0 ? (['not_found'] as const) : []),
    'method_not_allowed',
    'not_acceptable',
    ...(body.length > 0 ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    'validation_error',
    // A limit per minute applies to free requests too.
    'rate_limit_exceeded',
    ...errors,
    'internal_error',
    'service_unavailable',
  ])
}
