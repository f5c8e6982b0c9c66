import { describe, expect, it } from 'vitest'
import { json, restApp, UPGRADE_URL } from '../rest-app.js'

const { ask } = restApp()

describe('Accept', () => {
  it.each([
    'application/json',
    '*/*',
    'application/*',
    'text/html, application/xml;q=0.9, */*;q=0.8',
    'application/problem+json',
  ])('answers %s', async (accept) => {
    expect((await ask('/v1/thing', { headers: { accept } })).status).toBe(200)
  })

  it.each(['text/html', 'text/csv', 'application/json;q=0', '*/*;q=0'])(
    'refuses %s with 406',
    async (accept) => {
      const response = await ask('/v1/thing', { headers: { accept } })
      expect([response.status, (await json(response)).error]).toEqual([406, 'not_acceptable'])
    },
  )

  it('answers errors as problem+json if that is preferred', async () => {
    const response = await ask('/v1/fail?how=forbidden', { headers: { accept: 'application/problem+json' } })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await json(response)).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail: 'Needs ai:read.',
      instance: '/v1/fail',
      error: 'forbidden',
      message: 'Needs ai:read.',
      upgrade_url: UPGRADE_URL,
      required_scope: 'ai:read',
      request_id: 'req-1',
    })
  })
})
