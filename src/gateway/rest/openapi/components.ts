import { ERROR_TABLE, type ErrorCode } from '../../../core/errors.js'
import { MAX_PROBLEMS } from '../../../core/problems.js'
import { HEADER_TEXT, TEXT, WHOLE } from './bounds.js'
import type { JsonSchema } from './json-schema.js'
import { componentReference } from './types.js'

/** Headers of every answer to a caller that is metered. */
export const METER_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const

/** Headers of every answer. */
export const ANSWER_HEADERS = ['X-Request-Id', 'Access-Control-Allow-Origin'] as const

const WINDOWS = 'the window with the least left'

/** Headers of an answer that is made from datasets alone. */
export const LIFE_HEADERS = ['ETag', 'Cache-Control', 'X-Data-Version'] as const

/** Headers by name: description, JSON type, example. */
const HEADERS = {
  'X-Request-Id': ['Names this request in our logs.', 'string', '01J9ZC3X7E8Q'],
  'Access-Control-Allow-Origin': [
    'The `Origin` of the request, where it has one: pages of any origin may read answers, since a caller is known by key and never by cookie.',
    'string',
    'https://app.example.com',
  ],
  'X-RateLimit-Limit': [`Units of ${WINDOWS}.`, 'integer', 14],
  'X-RateLimit-Remaining': [`Units left in ${WINDOWS}.`, 'integer', 13],
  'X-RateLimit-Reset': [`When ${WINDOWS} ends, epoch seconds.`, 'integer', 1772449200],
  'RateLimit-Policy': [
    'Every policy: q units per w seconds.',
    'string',
    '"hour";q=14;w=3600, "month";q=10000;w=2678400',
  ],
  RateLimit: [
    'Every policy: r units left, t seconds to the end.',
    'string',
    '"hour";r=13;t=1234, "month";r=9999;t=86400',
  ],
  Link: [
    'Other pages (RFC 8288): first, prev, next, last of a list; next of a series. alternate: the GraphQL operation with the same answer.',
    'string',
    '</v1/assets?limit=20&offset=20>; rel="next", </v1/operations/assets.graphql>; rel="alternate"; type="application/graphql"',
  ],
  'X-Total-Count': ['Rows on all pages: more than this answer has where it is cut.', 'integer', 4213],
  ETag: [
    'Names the answer as it is now: give it as `If-None-Match`, and while it is still right you get a 304, free of charge.',
    'string',
    'W/"mHM-hhEnTMRZQcX_qSXoPC.d.mwp85nk0.mwp85nk0"',
  ],
  'Cache-Control': [
    'How long the answer may be used without asking again: until newer facts are due, seconds.',
    'string',
    'private, max-age=2095',
  ],
  'X-Data-Version': [
    'The datasets that the answer is made from, and their versions: no answer is older than these.',
    'string',
    'instruments=3, candles=17, supply=5',
  ],
  'Retry-After': ['Seconds until a retry may succeed.', 'integer', 90],
  'WWW-Authenticate': [
    'How to authenticate.',
    'string',
    'ApiKey realm="market-data-gateway", Bearer realm="market-data-gateway"',
  ],
} as const satisfies Record<string, readonly [string, 'string' | 'integer', string | number]>

export type HeaderName = keyof typeof HEADERS

/** References to headers, by name, as a response lists them. */
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

/** One response per error code, for operations to refer to. */
export function errorResponses(codes: Iterable<ErrorCode>): JsonSchema {
  return Object.fromEntries(Array.from(codes, (code) => [code, errorResponseOf(code)]))
}

export const SECURITY_SCHEMES: JsonSchema = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of your account.' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a login: acts with the tier of its user. Checked as RFC8725 asks: one algorithm, issuer, audience, and a life of an hour.',
  },
}

const FIELD_PROBLEM: JsonSchema = {
  type: 'object',
  description: 'One problem with one parameter or body field.',
  properties: {
    field: { ...TEXT, description: 'The parameter or field as it was or should be written.' },
    message: { ...TEXT, description: 'What is wrong, and what was probably meant.' },
  },
  required: ['field', 'message'],
}

export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  FieldProblem: FIELD_PROBLEM,
  Error: {
    type: 'object',
    description: 'The body of every failure.',
    properties: {
      error: { type: 'string', description: 'What kind of failure it is.', enum: Object.keys(ERROR_TABLE) },
      message: { ...TEXT, description: 'What happened, for people.' },
      upgrade_url: { ...TEXT, format: 'uri', description: 'Where a higher tier can be had.' },
      required_scope: { ...TEXT, description: 'The scope that is missing.' },
      retry_after: { ...WHOLE, description: 'Epoch seconds from which a retry may succeed.' },
      details: {
        type: 'array',
        description: 'Each problem of the request.',
        items: componentReference('schemas', 'FieldProblem'),
        maxItems: MAX_PROBLEMS,
      },
      request_id: { type: 'string', maxLength: 64, description: 'Names the request in our logs.' },
    },
    required: ['error', 'message', 'request_id'],
  },
  Problem: {
    description: 'The same with the members of RFC 9457, where Accept prefers application/problem+json.',
    allOf: [
      componentReference('schemas', 'Error'),
      {
        type: 'object',
        properties: {
          type: { const: 'about:blank', description: 'Always about:blank: `error` says the kind.' },
          title: { ...TEXT, description: 'The name of the status.' },
          status: {
            type: 'integer',
            format: 'int32',
            minimum: 400,
            maximum: 599,
            description: 'The status of the answer.',
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
  rate_limit_exceeded: ['Retry-After'],
  service_unavailable: ['Retry-After'],
}

/** A caller who is known sees the limits with each refusal too. */
function errorHeadersOf(code: ErrorCode): readonly HeaderName[] {
  const isMetered = ERROR_TABLE[code].status < 500 && code !== 'unauthorized'
  return [...ANSWER_HEADERS, ...(ERROR_HEADERS[code] ?? []), ...(isMetered ? METER_HEADERS : [])]
}

/** Members that come with some codes only, as examples. */
const EXAMPLE_MEMBERS: Partial<Record<ErrorCode, JsonSchema>> = {
  forbidden: { upgrade_url: 'https://example.com/upgrade', required_scope: 'ai:read' },
  validation_error: {
    details: [{ field: 'limt', message: 'is not a known parameter; did you mean "limit"?' }],
  },
  rate_limit_exceeded: { upgrade_url: 'https://example.com/upgrade', retry_after: 1772449200 },
  service_unavailable: { retry_after: 1772449200 },
}

function errorResponseOf(code: ErrorCode): JsonSchema {
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
