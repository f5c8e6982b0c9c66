import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase(), { world: 'empty' })
  key = await app.newKey({ tier: 'enterprise' })
})
afterAll(() => app?.close())

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: () => `${app.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, 'x-api-key': key } }),
  })
  it.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (name, audit) => {
    const result = await audit.fn()
    if (name.startsWith('MAY')) return // allowed either way; run so that nothing breaks on it
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok')
  })
})
