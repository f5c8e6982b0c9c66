import { describe, expect, it } from 'vitest'
import { json, restApp, UPGRADE_URL } from '../rest-app.js'
import { NOW } from '../rest-schema.js'

const { ask, logged } = restApp()

describe('errors', () => {
  it('answers 401 with both schemes', async () => {
    const response = await ask('/v1/fail?how=unauthorized')
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'ApiKey realm="market-data-gateway", Bearer realm="market-data-gateway"',
    ])
    expect(await json(response)).toEqual({
      error: 'unauthorized',
      message: 'Missing or invalid X-API-Key header.',
      request_id: 'req-1',
    })
  })

  it('answers 404 with the text of the service', async () => {
    const response = await ask('/v1/assets/nope')
    expect([response.status, (await json(response)).message]).toEqual([404, 'No asset nope.'])
  })

  it('answers 409', async () => {
    expect((await ask('/v1/fail?how=conflict')).status).toBe(409)
  })

  it('answers 429 with both forms of the instant', async () => {
    const response = await ask('/v1/fail?how=rate_limit_exceeded')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '90'])
    expect(await json(response)).toEqual({
      error: 'rate_limit_exceeded',
      message: 'The limit of your tier is reached.',
      upgrade_url: UPGRADE_URL,
      retry_after: NOW.getTime() / 1000 + 90,
      request_id: 'req-1',
    })
  })

  it('answers 503 with Retry-After and logs the cause without showing it', async () => {
    logged.length = 0
    const response = await ask('/v1/fail?how=service_unavailable')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(JSON.stringify(await json(response))).not.toContain('10.0.0.7')
    expect(logged.join()).toContain('10.0.0.7')
  })

  it.each(['error', 'graphql'])('masks an unknown error (%s) and logs it', async (how) => {
    logged.length = 0
    const response = await ask(`/v1/fail?how=${how}`)
    expect([response.status, await json(response)]).toEqual([
      500,
      { error: 'internal_error', message: 'Something went wrong on our side.', request_id: 'req-1' },
    ])
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(how === 'error' ? 'hunter2' : 'secret of the executor')
  })

  it('finds an ApiError that is wrapped twice', async () => {
    expect((await json(ask('/v1/fail?how=wrapped'))).message).toBe('Wrapped twice.')
  })
})
