import { afterEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app.js'
import { quickestDatabase } from '../../support/database.js'

/** RFC 8037 appendix A. */
const SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
const PUBLIC = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'

const PATH = '/.well-known/jwks.json'

describe('the published key set', () => {
  let app: TestApp
  afterEach(() => app?.close())

  it('is empty, and open to anyone, without a signing key', async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    const { status, text } = await app.rest(PATH)
    expect([status, text]).toEqual([200, '{"keys":[]}'])
  })

  it('holds the public half of the signing key, for browsers of any site, and may be kept for five minutes', async () => {
    app = await startTestApp(quickestDatabase(), {
      world: 'empty',
      env: { SIGNING_KEY: SEED, SIGNING_KEY_ID: 'k-1' },
    })
    const { status, text, headers } = await app.rest(PATH, { headers: { origin: 'https://else.example' } })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: PUBLIC, kid: 'k-1', use: 'sig', alg: 'EdDSA' }],
    })
    expect(text).not.toContain(SEED)
    expect(headers.get('content-type')).toBe('application/jwk-set+json')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('https://else.example')
    expect(headers.get('vary')).toMatch(/origin/i)
    const again = await app.rest(PATH, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })
})
