import { GraphQLError, locatedError, parse, type Source } from 'graphql'
import { createSchema } from 'graphql-yoga'
import { describe, expect, it } from 'vitest'
import { ApiError, invalid } from '../../../src/core/errors.js'
import { findApiError, graphqlErrorBody, toPublicError } from '../../../src/gateway/graphql/errors.js'
import { createGraphQLTransport } from '../../../src/gateway/graphql/transport/handler.js'
import { createLogger } from '../../../src/platform/logger.js'
import { ANONYMOUS } from '../../../src/policy/principal.js'
import type { EndpointSpec } from '../../../src/schema-kit/endpoint.js'
import { yogaOf } from '../../support/app/gateway-yoga.js'
import { exchangeOf, replyOf, responseOf } from '../../support/app/transport.js'

const UPGRADE_URL = 'https://gateway.example/pricing'
const NOW = new Date('2026-11-20T12:00:00Z')
const INTERNAL = 'relation "account" does not exist at 10.0.0.7:5432'

function syntaxError(text: string | Source): GraphQLError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof GraphQLError) return error
  }
  throw new Error('it parsed')
}

describe('toPublicError', () => {
  it('returns an ApiError unchanged, through any wrapping of the executor', () => {
    const error = new ApiError('not_found', { message: 'No such asset.' })
    const located = locatedError(error, undefined, ['asset'])
    const twice = new GraphQLError('outer', { originalError: located })
    for (const given of [error, located, twice]) {
      expect(toPublicError(given)).toBe(error)
      expect(findApiError(given)).toBe(error)
    }
  })

  it('turns errors of GraphQL into a bad request, in its own words', () => {
    const error = toPublicError(syntaxError('{ asset('))
    expect([error.code, error.status]).toEqual(['bad_request', 400])
    expect(error.message).toContain('Syntax Error')
  })

  it('masks everything else, and keeps it as the cause', () => {
    for (const given of [new Error(INTERNAL), INTERNAL, null, undefined, { message: INTERNAL }]) {
      const error = toPublicError(given)
      expect([error.code, error.status, error.message]).toEqual([
        'internal_error',
        500,
        'Something went wrong on our side.',
      ])
      expect(error.cause).toBe(given)
    }
    const wrapped = toPublicError(locatedError(new Error(INTERNAL), undefined, ['asset']))
    expect([wrapped.code, wrapped.message]).toEqual(['internal_error', 'Something went wrong on our side.'])
  })

  it('recognizes the loss of the database, wrapped or not, without naming it', () => {
    const lost = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' })
    for (const given of [lost, locatedError(lost, undefined, ['asset'])]) {
      const error = toPublicError(given)
      expect([error.code, error.status]).toEqual(['service_unavailable', 503])
      expect(error.message).not.toContain('10.0.0.7')
    }
  })

  it('ends on an error that is its own cause', () => {
    const first = new GraphQLError('loop')
    Object.defineProperty(first, 'originalError', { value: first })
    expect(toPublicError(first).code).toBe('internal_error')
  })
})

describe('graphqlErrorBody', () => {
  it('carries the REST body as extensions, with code and status', () => {
    const error = new ApiError('forbidden', {
      message: 'This needs the scope ai:read.',
      requiredScope: 'ai:read',
      upgrade: true,
      cause: new Error(INTERNAL),
    })
    const body = graphqlErrorBody(
      locatedError(error, undefined, ['assets', 'data', 0, 'ai']),
      'r-1',
      UPGRADE_URL,
    )
    expect(body).toEqual({
      message: 'This needs the scope ai:read.',
      path: ['assets', 'data', 0, 'ai'],
      extensions: {
        code: 'FORBIDDEN',
        http: { status: 403 },
        upgrade_url: UPGRADE_URL,
        required_scope: 'ai:read',
        request_id: 'r-1',
      },
    })
  })

  it('names each wrong field, and when to retry', () => {
    const wrong = graphqlErrorBody(
      locatedError(invalid({ field: 'limit', message: 'is 0' }), undefined),
      'r',
      '',
    )
    expect(wrong.extensions.details).toEqual([{ field: 'limit', message: 'is 0' }])
    const spent = new ApiError('rate_limit_exceeded', { retryAfter: 1_795_186_800 })
    const body = graphqlErrorBody(locatedError(spent, undefined), 'r', UPGRADE_URL)
    expect(body.extensions).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retry_after: 1_795_186_800 })
    expect(body.extensions).not.toHaveProperty('upgrade_url')
  })

  it('drops the details and extensions of an internal error', () => {
    const error = new GraphQLError(INTERNAL, {
      originalError: new Error(INTERNAL),
      extensions: { sql: INTERNAL, stacktrace: [INTERNAL] },
    })
    const body = graphqlErrorBody(error, 'r-1', UPGRADE_URL)
    expect(JSON.stringify(body)).not.toContain('10.0.0.7')
    expect(body.extensions).toEqual({ code: 'INTERNAL_ERROR', http: { status: 500 }, request_id: 'r-1' })
  })
})

const raise = (error: unknown) => () => {
  throw error
}
const logLines: string[] = []
const schema = createSchema({
  typeDefs:
    'type Query { good: Int broken: Int lost: Int absent: Int closed: Int spent: Int anyone: Int nothing: Int must: Int! }',
  resolvers: {
    Query: {
      good: () => 1,
      broken: raise(new Error(INTERNAL)),
      lost: raise(Object.assign(new Error(INTERNAL), { code: 'ECONNRESET' })),
      absent: raise(new ApiError('not_found', { message: 'No such thing.' })),
      closed: raise(new ApiError('forbidden')),
      spent: raise(new ApiError('rate_limit_exceeded', { retryAfter: NOW.getTime() / 1000 + 90 })),
      anyone: raise(new ApiError('unauthorized')),
      nothing: () => null,
      must: raise(new ApiError('conflict')),
    },
  },
})
const OPEN: EndpointSpec = {
  access: 'open',
  cost: 'free',
  rest: null,
  summary: '',
  errors: [],
  reads: null,
  check: (args) => args,
  waits: () => false,
}
for (const field of Object.values(schema.getQueryType()?.getFields() ?? {}))
  field.extensions = { endpoint: OPEN }
const log = createLogger('info', { write: (line: string) => void logLines.push(line) })
const transport = createGraphQLTransport({
  schema,
  yoga: yogaOf(schema, UPGRADE_URL),
  upgradeUrl: UPGRADE_URL,
  introspection: 'public',
})

const PLAIN = 'application/json'
const GRAPHQL = 'application/graphql-response+json'

interface Body {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

async function ask(query: string, accept?: string) {
  logLines.length = 0
  const headers = { 'content-type': PLAIN, ...(accept === undefined ? {} : { accept }) }
  const sent = { method: 'POST', headers, body: JSON.stringify({ query }) }
  const exchange = exchangeOf('/graphql', sent, log.child({ request_id: 'r-1' }), NOW)
  const id = { ...exchange, requestId: 'r-1' }
  const response = await responseOf(await replyOf(transport, id, { principal: ANONYMOUS }), 'POST')
  const text = await response.text()
  const body = JSON.parse(text) as Body // our own answers
  return { status: response.status, headers: response.headers, text, body }
}

describe('GraphQL responses', () => {
  it.each([PLAIN, GRAPHQL])(
    'are 200 in %s as soon as something ran, with the errors beside it',
    async (type) => {
      const answer = await ask('{ good broken absent }', type)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect(answer.body.data).toEqual({ good: 1, broken: null, absent: null })
      expect(answer.body.errors?.map((error) => error.extensions.code)).toEqual([
        'INTERNAL_ERROR',
        'NOT_FOUND',
      ])
    },
  )

  it.each([
    ['{ absent }', 404],
    ['{ closed }', 403],
    ['{ anyone }', 401],
    ['{ spent }', 429],
    ['{ lost }', 503],
    ['{ broken }', 500],
    ['{ absent broken }', 500],
    ['{ absent closed }', 404],
    ['{ good must }', 409],
    ['{ nothing absent }', 404],
  ])(
    'have the status of the gravest error when nothing ran, but errors of fields are 200 in plain JSON: %s is %i',
    async (query, status) => {
      const isOfField = status === 404 || status === 409
      expect((await ask(query, PLAIN)).status).toBe(isOfField ? 200 : status)
      expect((await ask(query, GRAPHQL)).status).toBe(status)
    },
  )

  it('are 200 if null is the answer', async () => {
    expect(await ask('{ nothing }')).toMatchObject({ status: 200, body: { data: { nothing: null } } })
  })

  it.each(['{ good', '{ unknown }', 'query ($x: Int!) { good @skip(if: $x) }'])(
    'to a document that cannot run, %s, are 400, and 200 for clients of plain JSON',
    async (query) => {
      const modern = await ask(query, GRAPHQL)
      expect([modern.status, modern.body.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST'])
      expect(modern.body).not.toHaveProperty('data')
      expect((await ask(query, PLAIN)).status).toBe(200)
    },
  )

  it.each([
    [undefined, PLAIN],
    ['*/*', PLAIN],
    ['application/*', PLAIN],
    [`${GRAPHQL}, ${PLAIN}`, GRAPHQL],
    [`${PLAIN}, ${GRAPHQL}`, PLAIN],
    [`${GRAPHQL}; charset=utf-8`, GRAPHQL],
    ['text/html, */*', PLAIN],
  ])('to Accept %s are %s', async (accept, type) => {
    expect((await ask('{ good }', accept)).headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  })

  it('never show an internal text, and log it once with the id that the caller got', async () => {
    const answer = await ask('{ broken lost }')
    expect(answer.text).not.toMatch(/relation|10\.0\.0\.7|ECONN|\bat /)
    const id = 'r-1'
    expect(answer.text).toContain(`"request_id":"${id}"`)
    const logged = logLines.map(
      (line) => JSON.parse(line) as { level: number; msg: string; request_id: string },
    )
    expect(logged.map(({ level, msg, request_id }) => [level, msg, request_id])).toEqual([
      [50, 'resolver failed', id],
      [40, 'resolver could not answer', id],
    ])
    expect(logLines.join('')).toContain('relation')
  })

  it('log nothing for errors of callers', async () => {
    await ask('{ absent closed spent anyone }')
    expect(logLines).toEqual([])
  })

  it('state in a header when to retry, and how to authenticate', async () => {
    expect((await ask('{ spent }')).headers.get('retry-after')).toBe('90')
    expect((await ask('{ anyone }')).headers.get('www-authenticate')).toContain('ApiKey')
    expect((await ask('{ good }')).headers.get('retry-after')).toBeNull()
  })
})
