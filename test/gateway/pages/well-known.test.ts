import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { noteSnapshotKey } from '../../../src/platform/installation/snapshot-keys.js'
import { type PublicKeySet, parseSigningKey } from '../../../src/platform/secrets/signing.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

/** RFC 8037 appendix A. */
const SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
const PUBLIC = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'

const PATH = '/.well-known/jwks.json'

const KEY_ID = parseSigningKey(SEED).keyId

describe('the published key set', () => {
  let app: TestApp
  afterEach(() => app?.close())

  it('is empty without a signing key, and open to anyone', async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    const { status, text } = await app.rest(PATH)
    expect([status, text]).toEqual([200, '{"keys":[]}'])
  })

  it('contains the public half of the signing key, for browsers of any site, cached for five minutes', async () => {
    app = await startTestApp(quickestDatabase(), {
      world: 'empty',
      env: { SIGNING_KEY: SEED },
    })
    const { status, text, headers } = await app.rest(PATH, { headers: { origin: 'https://else.example' } })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: PUBLIC, kid: KEY_ID, use: 'sig', alg: 'EdDSA' }],
    })
    expect(text).not.toContain(SEED)
    expect(headers.get('content-type')).toBe('application/jwk-set+json')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('https://else.example')
    expect(headers.get('vary')).toMatch(/origin/i)
    const again = await app.rest(PATH, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })

  it('keeps former signing keys, so that their snapshots can still be verified', async () => {
    app = await startTestApp(quickestDatabase(), {
      world: 'empty',
      env: { SIGNING_KEY: SEED },
    })
    const retired = { keyId: 'k-1', x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw' }
    const { keyPepper } = loadConfig({})
    await noteSnapshotKey(app.database, keyPepper, retired, new Date('2026-11-01T00:00:00Z'))
    const { text } = await app.rest(PATH)
    const { keys } = JSON.parse(text) as PublicKeySet
    expect(keys.map(({ kid, x }) => [kid, x])).toEqual([
      [KEY_ID, PUBLIC],
      ['k-1', retired.x],
    ])
  })
})
