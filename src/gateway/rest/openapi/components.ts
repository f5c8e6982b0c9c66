import { ERROR_TABLE, type ErrorCode } from '../../../core/errors.js'
import { MAX_PROBLEMS } from '../../../core/problems.js'
import { HEADER_TEXT, TEXT, WHOLE } from './bounds.js'
import type { JsonSchema } from './json-schema.js'
import { componentReference } from './types.js'

/** Headers of every response to a metered caller. */
export const METER_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const

/** Headers of every response. */
export const ANSWER_HEADERS = ['X-Request-Id', 'Access-Control-Allow-Origin'] as const

const WINDOWS = 'the window with the fewest units left'

/** Headers of a response that depends on datasets only. */
export const LIFE_HEADERS = ['ETag', 'Cache-Control', 'X-Data-Version'] as const

/** Headers by name: description, JSON type, example. */
const HEADERS = {
  'X-Request-Id': ["Identifies this request in the gateway's logs.", 'string', '01J9ZC3X7E8Q'],
  'Access-Control-Allow-Origin': [
    'The `Origin` of the request, if it has one. Pages of any origin may read responses, because callers authenticate by key and never by cookie.',
    'string',
    'https://app.example.com',
  ],
  'X-RateLimit-Limit': [`Quota of ${WINDOWS}.`, 'integer', 14],
  'X-RateLimit-Remaining': [`Units left in ${WINDOWS}.`, 'integer', 13],
  'X-RateLimit-Reset': [`End of ${WINDOWS}, in epoch seconds.`, 'integer', 1772449200],
  'RateLimit-Policy': [
    'Every quota policy: q units per w seconds.',
    'string',
    '"hour";q=14;w=3600, "month";q=10000;w=2678400',
  ],
  RateLimit: [
    'Every quota policy: r units left, t seconds until the window ends.',
    'string',
    '"hour";r=13;t=1234, "month";r=9999;t=86400',
  ],
  Link: [
    'Links to other pages (RFC 8288): first, prev, next and last of a list; next of a series. `alternate` is the equivalent GraphQL operation.',
    'string',
    '</v1/assets?limit=20&offset=20>; rel="next", </v1/operations/assets.graphql>; rel="alternate"; type="application/graphql"',
  ],
  'X-Total-Count': ['Number of rows on all pages; the response may contain fewer.', 'integer', 4213],
  ETag: [
    'Identifies this version of the response. Send it as `If-None-Match`: while the response is unchanged, you get a 304, free of charge.',
    'string',
    'W/"mHM-hhEnTMRZQcX_qSXoPC.d.mwp85nk0.mwp85nk0"',
  ],
  'Cache-Control': [
    'How many seconds you may use the response without another request: until newer data is due.',
    'string',
    'private, max-age=2095',
  ],
  'X-Data-Version': [
    'The datasets of the response and their versions.',
    'string',
    'candles=17, instruments=3',
  ],
  Allow: ['The methods of the path.', 'string', 'GET, HEAD'],
  'X-Is-Dev-Dataset': ['`true` for synthetic data, else `false`.', 'string', 'false'],
  'Retry-After': ['Seconds until a retry can succeed.', 'integer', 90],
  'WWW-Authenticate': [
    'How to authenticate.',
    'string',
    'ApiKey realm="market-data-gateway", Bearer realm="market-data-gateway"',
  ],
} as const satisfies Record<string, readonly [string, 'string' | 'integer', string | number]>

export type HeaderName = keyof typeof HEADERS

/** Creates references to the header components. */
export function headerReferences(names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, componentReference('headers', name)]))
}

export function headerComponents(): JsonSchema {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, [description, type, example]]) => [
      name,
      { description, schema: type === 'integer' ? WHOLE : HEADER_TEXT, example },
    ]),
  )
}

/** Creates one response component per error code. */
export function errorResponses(codes: Iterable<ErrorCode>): JsonSchema {
  return Object.fromEntries(Array.from(codes, (code) => [code, createErrorResponse(code)]))
}

export const SECURITY_SCHEMES: JsonSchema = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of your account.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a login. It has the tier of its user and expires after one hour. Validated according to RFC8725: one algorithm, issuer and audience.',
  },
}

const FIELD_PROBLEM: JsonSchema = {
  type: 'object',
  description: 'One problem with one parameter or body field.',
  properties: {
    field: { ...TEXT, description: 'Name of the parameter or field.' },
    message: { ...TEXT, description: 'What is wrong, and a suggestion if there is a similar name.' },
  },
  required: ['field', 'message'],
}

export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  FieldProblem: FIELD_PROBLEM,
  Error: {
    type: 'object',
    description: 'The body of every error response.',
    properties: {
      error: { type: 'string', description: 'The error code.', enum: Object.keys(ERROR_TABLE) },
      message: { ...TEXT, description: 'What is wrong and what to do, for humans.' },
      upgrade_url: {
        ...TEXT,
        format: 'uri',
        description: 'Where to upgrade to a higher tier. Absent if the operator names no page.',
      },
      required_scope: { ...TEXT, description: 'The missing scope.' },
      retry_after: { ...WHOLE, description: 'Earliest time at which a retry can succeed, in epoch seconds.' },
      details: {
        type: 'array',
        description: 'All problems of the request.',
        items: componentReference('schemas', 'FieldProblem'),
        maxItems: MAX_PROBLEMS,
      },
      request_id: {
        type: 'string',
        maxLength: 64,
        description: "Identifies the request in the gateway's logs.",
      },
    },
    required: ['error', 'message', 'request_id'],
  },
  Problem: {
    description: 'The error with the members of RFC 9457, sent if Accept prefers application/problem+json.',
    allOf: [
      componentReference('schemas', 'Error'),
      {
        type: 'object',
        properties: {
          type: { const: 'about:blank', description: 'Always about:blank; see `error` for the code.' },
          title: { ...TEXT, description: 'The name of the HTTP status.' },
          status: {
            type: 'integer',
            format: 'int32',
            minimum: 400,
            maximum: 599,
            description: 'The HTTP status.',
          },
          detail: { ...TEXT, description: 'The same as `message`.' },
          instance: { ...TEXT, description: 'The path of the request.' },
        },
        required: ['type', 'title', 'status', 'detail', 'instance'],
      },
    ],
  },
}

const ERROR_HEADERS: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  unauthorized: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limit_exceeded: ['Retry-After'],
  service_unavailable: ['Retry-After'],
}

/** Error responses to an authenticated caller have the limit headers too. */
function errorHeadersOf(code: ErrorCode): readonly HeaderName[] {
  const isMetered = ERROR_TABLE[code].status < 500 && code !== 'unauthorized'
  return [...ANSWER_HEADERS, ...(ERROR_HEADERS[code] ?? []), ...(isMetered ? METER_HEADERS : [])]
}

/** Examples of the members that only some codes have. */
const EXAMPLE_MEMBERS: Partial<Record<ErrorCode, JsonSchema>> = {
  forbidden: { upgrade_url: 'https://example.com/upgrade', required_scope: 'ai:read' },
  unauthorized: {
    message:
      'Missing or invalid X-API-Key header. The request has no API key. Create a key on the page /account, or with POST /auth/register and POST /auth/keys, and send it in the header X-API-Key.',
  },
  validation_error: {
    details: [{ field: 'limt', message: 'is not a known parameter; did you mean "limit"?' }],
  },
  rate_limit_exceeded: { upgrade_url: 'https://example.com/upgrade', retry_after: 1772449200 },
  service_unavailable: { retry_after: 1772449200 },
}

function createErrorResponse(code: ErrorCode): JsonSchema {
  const { message } = ERROR_TABLE[code]
  const example = { error: code, message, ...EXAMPLE_MEMBERS[code], request_id: '01J9ZC3X7E8Q' }
  return {
    description: message,
    headers: headerReferences(errorHeadersOf(code)),
    content: {
      'application/json': { schema: componentReference('schemas', 'Error'), example },
      'application/problem+json': { schema: componentReference('schemas', 'Problem') },
    },
  }
}
