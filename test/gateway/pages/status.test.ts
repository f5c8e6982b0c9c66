import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const PAGE = 'text/html,application/xhtml+xml,*/*;q=0.8'

describe('/status', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  it('answers programs with the datasets as the API gives them, without a key and free of charge', async () => {
    const [status, datasets] = [await app.rest('/status'), await app.rest('/v1/datasets')]
    expect([status.status, status.body]).toEqual([200, datasets.body])
    expect(status.headers.get('content-type')).toBe(datasets.headers.get('content-type'))
    expect(status.headers.get('vary')).toContain('Accept')
    expect((await app.rest('/status', { headers: { accept: 'application/json' } })).body).toEqual(status.body)
  })

  it('answers 304 to a monitor that has the newest answer', async () => {
    const { headers } = await app.rest('/status')
    const etag = headers.get('etag') ?? expect.fail('no ETag')
    expect((await app.rest('/status', { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  it('answers browsers with the page of the datasets', async () => {
    const page = await app.rest('/status', { headers: { accept: PAGE } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('vary')).toContain('Accept')
    expect(page.text).toContain('<title>Status: Market Data Gateway</title>')
  })

  it('refuses other methods, parameters and paths below it as every route does', async () => {
    expect((await app.rest('/status', { method: 'DELETE' })).status).toBe(405)
    expect((await app.rest('/status?late=true')).status).toBe(422)
    expect((await app.rest('/status/forex')).status).toBe(404)
  })
})
