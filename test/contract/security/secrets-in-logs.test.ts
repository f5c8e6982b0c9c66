import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { withProviderKeys } from '../../../src/platform/http-client/provider-keys.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { assertNoSecret } from '../../support/app/log-secrets.js'
import { quickestDatabase } from '../../support/database/database.js'
import { listen } from '../../support/peers/sockets.js'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
})
afterAll(() => app?.close())

const PASSWORD = 'correct-horse-hunter2'

it('no key, token or password of any part of a request reaches the log', async () => {
  const token = await app.access.tokens.sign('00000000-0000-4000-8000-000000000000', app.clock.now())
  const statuses = [
    await app.rest(`/v1/assets/${key}`, { key }),
    await app.rest(`/v1/assets?api_key=${key}`, { key }),
    await app.rest(`/compat/fred/fred/series?series_id=GDP&api_key=${key}`, {}),
    await app.rest(`/${key}`, {}),
    await app.rest('/v1/assets', { key: `${key}x` }),
    await app.rest('/v1/assets', { headers: { authorization: `Bearer ${token}` } }),
    await app.rest('/v1/assets', { headers: { authorization: `Basic ${key}` } }),
    await app.rest('/v1/assets', { key, headers: { 'x-request-id': key, cookie: `session=${token}` } }),
    await app.rest('/newsletter/confirm?token=abcdefghijklmnop.qrstuvwxyz', {}),
    await app.rest('/auth/login', { method: 'POST', body: { email: 'a@example.org', password: PASSWORD } }),
    await app.rest('/auth/login', { method: 'POST', body: `{"password":"${PASSWORD}"` }),
    await app.graphql(`{ asset(id: "${key}") { data { ticker } } }`, { key }),
    await app.graphql(`{ ${key} }`, { key }),
  ].map(({ status }) => status)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  const lines = app.logLines.join('')
  expect(app.logLines.length).toBeGreaterThanOrEqual(statuses.length)
  assertNoSecret(lines)
  for (const secret of [key, token, PASSWORD, 'qrstuvwxyz']) expect(lines).not.toContain(secret)
})

it('no key of a provider reaches the log when the provider fails', async () => {
  const provider = await listen((_, response) => response.writeHead(503).end())
  const lines: string[] = []
  const log = createLogger('debug', { write: (line: string) => void lines.push(line) })
  const http = withProviderKeys(createHttpClient({ log, userAgent: 'test/1' }), { BOK_API_KEY: 'HUNTER2KEY' })
  const limits = { timeoutMs: 20_000, maxBytes: 1_000, retries: 0 }
  for (const path of ['/api/BOK_API_KEY/json', '/v2/aB3-dE6_gH9jK2mN5pQ8sT1vW4yZ7', '/x?apikey=HUNTER2KEY'])
    await expect(http.request({ url: provider.url + path, ...limits })).rejects.toThrow('status 503')
  expect(lines.length).toBe(3)
  for (const secret of ['HUNTER2KEY', 'aB3-dE6_gH9jK2mN5pQ8sT1vW4yZ7'])
    expect(lines.join('')).not.toContain(secret)
  await provider.close()
})

it.each([
  ['an API key', `{"msg":"x","path":"/v1/mdg_live_${'a'.repeat(30)}_bbbbbb"}`],
  ['an access token', `{"msg":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'c'.repeat(43)}"}`],
  ['the password of an address', '{"msg":"postgresql://me:hunter2@db/gateway"}'],
  ['a password hash', '{"msg":"$argon2id$v=19$m=1"}'],
  ['a link of a mail', '{"url":"https://a.example/newsletter/confirm?token=abcdefghijkl"}'],
])('%s in a line of the log fails the test that wrote it', (what, line) => {
  expect(() => assertNoSecret(line)).toThrow(`holds ${what}`)
})
