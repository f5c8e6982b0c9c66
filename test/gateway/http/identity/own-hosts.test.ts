import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assertOwnHost, configuredOwnHosts } from '../../../../src/gateway/http/identity/own-hosts.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'

const LOCAL = { isDevelopment: true, isExposed: false, host: '127.0.0.1', publicUrl: null }

describe('the names of a gateway', () => {
  it.each([
    'localhost',
    'localhost:4000',
    'LOCALHOST:4000',
    '127.0.0.1:4000',
    '[::1]:4000',
    'gateway.example.org',
  ])('contain %s in development', (host) => {
    const hosts = configuredOwnHosts({ ...LOCAL, publicUrl: 'https://gateway.example.org/' })
    expect(() => assertOwnHost({ header: () => host }, hosts)).not.toThrow()
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:4000',
    '192.168.0.7',
    'a b',
    '',
  ])('do not contain "%s" in development', (host) => {
    expect(() => assertOwnHost({ header: () => host }, configuredOwnHosts(LOCAL))).toThrow(
      'Call http://localhost, or set PUBLIC_URL',
    )
  })

  it('are any in production, where other machines can call, and for requests without Host', () => {
    const foreign = { header: () => 'evil.example' }
    expect(() => assertOwnHost(foreign, configuredOwnHosts({ ...LOCAL, isDevelopment: false }))).not.toThrow()
    expect(() => assertOwnHost(foreign, configuredOwnHosts({ ...LOCAL, isExposed: true }))).not.toThrow()
    expect(() => assertOwnHost({ header: () => null }, configuredOwnHosts(LOCAL))).not.toThrow()
  })
})

describe('a gateway in development', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { developmentTier: 'pro' })
  })
  afterAll(() => app?.close())

  it.each(['/docs', '/graphql', '/mcp', '/v1/datasets'])(
    'refuses a page of another name at %s, so that it cannot read the key',
    async (path) => {
      const { status, text } = await app.rest(path, {
        headers: { host: 'evil.example:80', accept: 'text/html' },
      })
      expect(status).toBe(403)
      expect(app.pageKey).not.toBeNull()
      expect(text).not.toContain(app.pageKey)
    },
  )
})
