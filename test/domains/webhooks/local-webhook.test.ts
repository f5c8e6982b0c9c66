import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { CREATIONS_PER_ACCOUNT } from '../../../src/domains/webhooks/model.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
})
afterAll(() => app?.close())

const create = (key: string, url: string) =>
  app.rest<{ webhook: { webhook_id: string } }>('/v1/webhooks', { key, method: 'POST', body: { url } })

it('a gateway in development sends to http://localhost, as the guide says, from the first request to the delivery', async () => {
  const received: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    request.resume().on('end', () => response.end())
  }).listen(0, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const key = await app.newKey({ tier: 'growth' })
  const created = await create(key, `http://localhost:${port}/hook`)
  expect(created.status).toBe(201)
  const path = `/v1/webhooks/${created.body.webhook.webhook_id}/test`
  const tested = await app.rest<{ status: number }>(path, { key, method: 'POST', body: {} })
  expect(tested.text).toContain('delivered')
  expect(received.map((headers) => headers['webhook-signature'])).toEqual([expect.stringMatching(/^v1,/)])
})

it.each(['HTTPS://hooks.example.com/changes', 'https:hooks.example.com/changes'])(
  'stores %s, because the parser of URLs accepts it',
  async (url) => {
    expect((await create(await app.newKey({ tier: 'growth' }), url)).status).toBe(201)
  },
)

it('a creation that fails by a fault of the gateway uses up no attempt', async () => {
  const key = await app.newKey({ tier: 'growth' })
  await app.database.rows(`alter table webhook add constraint fault check (url not like '%fault%')`)
  for (let attempt = 0; attempt <= CREATIONS_PER_ACCOUNT.limit; attempt += 1)
    expect((await create(key, 'https://fault.example.com')).status).toBe(500)
  expect((await create(key, 'https://hooks.example.com')).status).toBe(201)
})
