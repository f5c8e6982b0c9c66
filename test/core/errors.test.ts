import { describe, expect, it } from 'vitest'
import { ApiError, ERROR_TABLE, type ErrorCode, invalid, malformed, notFound } from '../../src/core/errors.js'

/** The statuses of the API contract, written out so that the table is tested against it. */
const CONTRACT: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  validation_error: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  service_unavailable: 503,
}

describe('the error table', () => {
  it('gives every code the status of the contract', () => {
    const statuses = Object.entries(ERROR_TABLE).map(([code, row]) => [code, row.status])
    expect(Object.fromEntries(statuses)).toEqual(CONTRACT)
  })

  it('has the text of the contract for a missing key', () => {
    expect(new ApiError('unauthorized').message).toBe('Missing or invalid X-API-Key header.')
  })
})

describe('ApiError', () => {
  it('takes status and text from the table and leaves the rest empty', () => {
    const error = new ApiError('conflict')
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'conflict',
      status: 409,
      message: ERROR_TABLE.conflict.message,
      details: [],
      requiredScope: null,
      upgrade: false,
      retryAfter: null,
      allow: [],
    })
    expect('cause' in error).toBe(false)
  })

  it('keeps its given members', () => {
    const error = new ApiError('forbidden', {
      message: 'No.',
      requiredScope: 'ai:read',
      upgrade: true,
      retryAfter: 1_780_000_000,
      allow: ['GET'],
    })
    expect(error).toMatchObject({
      message: 'No.',
      requiredScope: 'ai:read',
      upgrade: true,
      retryAfter: 1_780_000_000,
      allow: ['GET'],
    })
  })

  it('keeps the cause for the log and does not serialise it', () => {
    const cause = new Error('password=hunter2')
    const error = new ApiError('service_unavailable', { cause })
    expect(error.cause).toBe(cause)
    expect(error.message).not.toContain('hunter2')
    expect(JSON.stringify(error)).not.toContain('hunter2')
  })
})

describe('invalid', () => {
  it('is a 422 whose message reads alone and names its field', () => {
    const error = invalid({ field: 'limit', message: 'must be between 1 and 100; got 0' })
    expect(error.status).toBe(422)
    expect(error.message).toBe('limit: must be between 1 and 100; got 0')
    expect(error.details).toEqual([{ field: 'limit', message: 'must be between 1 and 100; got 0' }])
  })

  it('lists every problem and says how many more there are', () => {
    const problems = [
      { field: 'a', message: 'is wrong' },
      { field: 'b', message: 'is wrong too' },
      { field: 'c', message: 'is wrong as well' },
    ] as const
    expect(invalid(...problems).message).toBe('a: is wrong (and 2 more)')
    expect(invalid(...problems).details).toEqual(problems)
  })
})

describe('malformed', () => {
  it('is a 400 that names every problem', () => {
    const problems = [
      { field: 'a', message: 'must be a string; got 1' },
      { field: 'b', message: 'is required' },
    ] as const
    expect(malformed(...problems)).toMatchObject({
      code: 'bad_request',
      status: 400,
      message: 'a: must be a string; got 1 (and 1 more)',
      details: problems,
    })
  })
})

describe('notFound', () => {
  it('is a 404 with the given text', () => {
    expect(notFound('No asset "x".')).toMatchObject({
      code: 'not_found',
      status: 404,
      message: 'No asset "x".',
    })
  })
})
