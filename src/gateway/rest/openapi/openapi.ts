import type { GraphQLSchema } from 'graphql'
import { ERROR_TABLE, type ErrorCode } from '../../../core/errors.js'
import { isScope } from '../../../policy/scopes.js'
import type { EndpointSpec } from '../../../schema-kit/endpoint.js'
import { compileTable } from '../response/table.js'
import { EXPORT_MEDIA_TYPES, EXTENSIONS, type ExportMediaType } from '../response/table-export.js'
import { type PublishedOperation, publishedOperations } from '../routes/published-operation.js'
import { argumentsByPlace, exportPath, type RestEndpoint, restEndpoints } from '../routes/rest-route.js'
import {
  ANSWER_HEADERS,
  ERROR_SCHEMAS,
  errorResponses,
  headerComponents,
  headerReferences,
  LIFE_HEADERS,
  METER_HEADERS,
  SECURITY_SCHEMES,
} from './components.js'
import { EXPORT_HEADERS, fileContent } from './export-content.js'
import type { JsonSchema } from './json-schema.js'
import { withListBounds } from './list-bounds.js'
import { descriptionOfOperation, FILE_NAMES } from './operation-text.js'
import { createParameter, createRequestBody, namedBodies } from './request.js'
import { createRequestHeaders, REQUEST_HEADERS } from './request-headers.js'
import { type AnswerExample, type Paths, withAnswerExamples } from './responses.js'
import { createSamples } from './samples.js'
import { componentReference, schemaWithoutNull, typeSchemas } from './types.js'

export interface OpenApiInfo {
  /** Of the package. */
  readonly version: string
  /** Where the paths begin, absolute or relative to the document. */
  readonly serverUrl: string
  /** Absolute address that the samples of code ask. */
  readonly sampleUrl: string
  /** Whether it serves others, or a developer on one machine. */
  readonly environment: 'production' | 'local development'
  /** Real answers by the name of the operation. */
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

const DESCRIPTION = `Market data with freshness, provenance and point-in-time history in every answer.

Send your key in \`X-API-Key\`. Unknown parameters and body fields are refused, never ignored. Errors have one
body for all statuses, or problem+json where \`Accept\` prefers it. GET routes answer HEAD too. Lists and series are also
had as CSV and NDJSON: \`.csv\` and \`.ndjson\` after the path, or by \`Accept\`. With
\`X-Dry-Run: cost\` a request answers its price as \`{"cost": …}\` and runs nothing.

The same data through GraphQL: \`/graphql\`, which takes the SHA-256 of an operation in place of its text
(automatic persisted queries). The operation that gives what a route answers is its \`x-graphql\`, and where the
\`Link\` of each answer leads with \`rel="alternate"\`; [all of them](/v1/operations).`

/** OpenAPI 3.1 of everything the REST sub-graph shows; the texts are the descriptions of the GraphQL schema. */
export async function buildOpenApi(schema: GraphQLSchema, info: OpenApiInfo): Promise<OpenApiDocument> {
  const endpoints = restEndpoints(schema)
  const operations = await publishedOperations(schema)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Market data gateway',
      version: info.version,
      description: DESCRIPTION,
      contact: contactOf(info),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: info.serverUrl, description: `This gateway (${info.environment}).`, 'x-internal': false },
    ],
    tags: tagsOf(endpoints),
    security: [{ ApiKey: [] }, { bearer: [] }],
    paths: withAnswerExamples(pathsOf(endpoints, operations, info), info.examples ?? {}),
    components: {
      schemas: {
        ...withListBounds(typeSchemas(schema), endpoints),
        ...namedBodies(endpoints),
        ...ERROR_SCHEMAS,
      },
      parameters: REQUEST_HEADERS,
      responses: errorResponses(new Set(endpoints.flatMap((endpoint) => [...errorsOf(endpoint)]))),
      headers: headerComponents(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** Who answers questions; where, only once the gateway knows its address. */
function contactOf({ serverUrl }: OpenApiInfo): JsonSchema {
  const name = 'Operator of this gateway'
  return URL.canParse(serverUrl) ? { name, url: new URL('/docs', serverUrl).href } : { name }
}

function tagsOf(endpoints: readonly RestEndpoint[]): readonly JsonSchema[] {
  const names = [...new Set(endpoints.map((endpoint) => endpoint.rest.tag))]
  return names.map((name) => {
    const lines = endpoints
      .filter((endpoint) => endpoint.rest.tag === name)
      .map(({ rest, endpoint }) => `- \`${rest.method} ${rest.path}\`: ${endpoint.summary}`)
    return { name, description: lines.join('\n') }
  })
}

function pathsOf(
  endpoints: readonly RestEndpoint[],
  operations: readonly PublishedOperation[],
  { sampleUrl, examples }: OpenApiInfo,
): Paths {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [at, endpoint] of endpoints.entries()) {
    const { path, method } = endpoint.rest
    const twin = operations[at]
    if (twin === undefined) throw new Error(`${path} has no published operation`)
    const sampled = { baseUrl: sampleUrl, example: examples?.[endpoint.field.name] }
    const operation = (file: ExportMediaType | null) => ({
      ...operationOf(endpoint, file, twin),
      'x-codeSamples': createSamples(endpoint, file, sampled),
    })
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(null) }
    for (const type of endpoint.rest.table ? EXPORT_MEDIA_TYPES : [])
      paths[exportPath(path, type)] = { get: operation(type) }
  }
  return paths
}

/** `file`: the operation of an export; null: that of JSON. `twin`: what gives the same answer in GraphQL. */
function operationOf(
  endpoint: RestEndpoint,
  file: ExportMediaType | null,
  twin: PublishedOperation,
): JsonSchema {
  const { field, rest, endpoint: spec } = endpoint
  const { path, query, body } = argumentsByPlace(endpoint)
  const scope = isScope(spec.access) ? spec.access : null
  const parameters = [
    ...path.map((argument) => createParameter(argument, 'path')),
    ...query.map((argument) => createParameter(argument, 'query')),
    ...createRequestHeaders(endpoint),
  ]
  return {
    operationId: file === null ? field.name : `${field.name}_${EXTENSIONS[file]}`,
    tags: [rest.tag],
    summary: file === null ? spec.summary : `${spec.summary}, ${FILE_NAMES[file]}`,
    description: descriptionOfOperation(endpoint, file, twin),
    ...(field.deprecationReason ? { deprecated: true } : {}),
    parameters,
    ...(body.length > 0 ? { requestBody: createRequestBody(body, rest.bodyName) } : {}),
    responses: responsesOf(endpoint, file),
    ...(spec.access === 'open' ? { security: [] } : {}),
    ...(scope ? { 'x-required-scope': scope } : {}),
    // A file has the rows alone of what the operation gives.
    ...(file === null ? { 'x-graphql': { operation: twin.name, href: twin.path, document: twin.text } } : {}),
  }
}

function responsesOf(endpoint: RestEndpoint, file: ExportMediaType | null): JsonSchema {
  const status = endpoint.rest.status ?? 200
  // Object keys that are whole numbers come in rising order: the success first.
  const responses: Record<string, JsonSchema> = { [status]: successOf(endpoint, status, file) }
  if (endpoint.rest.method === 'GET') responses[304] = unchanged(endpoint)
  for (const code of errorsOf(endpoint))
    responses[ERROR_TABLE[code].status] = componentReference('responses', code)
  return responses
}

function unchanged({ endpoint, rest }: RestEndpoint): JsonSchema {
  return {
    description: 'The answer named by `If-None-Match` is still right. Free of charge.',
    headers: headerReferences([
      ...ANSWER_HEADERS,
      'Link',
      ...meterOf(endpoint),
      ...lifeOf(endpoint, rest.method),
    ]),
  }
}

/** Callers of what is open are not counted. */
function meterOf({ access }: EndpointSpec): typeof METER_HEADERS | readonly [] {
  return access === 'open' ? [] : METER_HEADERS
}

/** Answers that depend on the clock or on a third party have no tag; those about accounts say no version of data. */
function lifeOf(
  { reads, isUnsteady }: EndpointSpec,
  method: string,
): readonly (typeof LIFE_HEADERS)[number][] {
  if (reads !== null) return LIFE_HEADERS
  return isUnsteady === true || method !== 'GET' ? [] : ['ETag', 'Cache-Control']
}

function successOf(
  { field, rest, endpoint }: RestEndpoint,
  status: number,
  file: ExportMediaType | null,
): JsonSchema {
  const paging = rest.table ? (['X-Total-Count'] as const) : []
  const headers = headerReferences([
    ...ANSWER_HEADERS,
    'Link',
    ...meterOf(endpoint),
    ...lifeOf(endpoint, rest.method),
    ...paging,
  ])
  if (status === 204) return { description: 'Done; there is no body.', headers }
  const content =
    rest.table && file !== null
      ? fileContent(compileTable(field, rest.table), file)
      : // A null never leaves as a success, whatever the field's type allows.
        { 'application/json': { schema: schemaWithoutNull(field.type) } }
  return {
    description: status === 201 ? 'Created.' : 'The answer.',
    headers: { ...headers, ...(file === null ? {} : EXPORT_HEADERS) },
    content,
  }
}

/** What every endpoint can raise by its nature, and what its field names beside. */
function errorsOf(endpoint: RestEndpoint): ReadonlySet<ErrorCode> {
  const { access, errors } = endpoint.endpoint
  const { path, body } = argumentsByPlace(endpoint)
  return new Set<ErrorCode>([
    'bad_request',
    ...(access === 'open' ? [] : (['unauthorized'] as const)),
    ...(isScope(access) ? (['forbidden'] as const) : []),
    ...(path.length > 0 ? (['not_found'] as const) : []),
    'not_acceptable',
    ...(body.length > 0 ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    'validation_error',
    // What is free of charge is bounded by the minute.
    'rate_limit_exceeded',
    ...errors,
    'internal_error',
    'service_unavailable',
  ])
}
