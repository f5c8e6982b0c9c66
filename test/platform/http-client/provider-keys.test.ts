import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../../src/platform/http-client/http-client.js'
import { withProviderKeys } from '../../../src/platform/http-client/provider-keys.js'

const KEYS = {
  BLS_API_KEY: '0123456789abcdef',
  BOK_API_KEY: 'hunter/2',
  SEC_USER_AGENT: 'Example Ltd data@example.com',
}

/** What goes out for a request. */
async function sentFor(request: HttpRequest, keys: typeof KEYS | Record<string, never> = KEYS) {
  const sent: HttpRequest[] = []
  const refuse = (request: HttpRequest) => {
    sent.push(request)
    return Promise.reject(new Error('nothing is asked'))
  }
  const client = withProviderKeys({ request: refuse, download: refuse }, keys)
  await client.request(request).catch(() => undefined)
  await client.download(request, '/tmp/nothing').catch(() => undefined)
  expect(sent).toHaveLength(2)
  expect(sent[0]).toEqual(sent[1])
  return sent[0]
}

const asked = { timeoutMs: 1_000, maxBytes: 1_000, retries: 0 }

describe('the keys of providers', () => {
  it('go into the path that names their variable, and are not shown', async () => {
    const request = { ...asked, url: 'https://provider.example/api/BOK_API_KEY/json' }
    const sent = await sentFor(request)
    expect(sent).toMatchObject({
      url: 'https://provider.example/api/hunter%2F2/json',
      shownUrl: 'https://provider.example/api/BOK_API_KEY/json',
    })
  })

  it('go into the header that names their variable', async () => {
    const headers = { accept: 'application/json', 'user-agent': 'SEC_USER_AGENT' }
    const sent = await sentFor({ ...asked, url: 'https://provider.example/api', headers })
    expect(sent?.headers).toEqual({ accept: 'application/json', 'user-agent': KEYS.SEC_USER_AGENT })
  })

  it('go into the texts of a JSON body that name the variable', async () => {
    const body = '{"seriesid":["BLS"],"registrationkey":"BLS_API_KEY"}'
    const sent = await sentFor({ ...asked, url: 'https://provider.example/api', method: 'POST', body })
    expect(sent?.body).toBe(`{"seriesid":["BLS"],"registrationkey":"${KEYS.BLS_API_KEY}"}`)
  })

  it('leave out unknown and unset variables', async () => {
    const request = { ...asked, url: 'https://provider.example/a', headers: { accept: 'text/csv' } }
    expect(await sentFor(request)).toEqual(request)
    const unset = { ...asked, url: 'https://provider.example/BOK_API_KEY/SEC_USER_AGENT' }
    expect(await sentFor(unset, {})).toEqual(unset)
  })
})
