import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const CLIENTS = 20

describe.each([quickestDatabase()])('clients that disconnect on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  /** Sends a request and leaves: at once, or as soon as the first bytes of the response have come. */
  async function leave(request: string, isAtOnce: boolean): Promise<void> {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.on('error', () => {}) // the cut is ours
    await new Promise((resolve) => socket.once('connect', resolve))
    const came = new Promise((resolve) => socket.once('data', resolve))
    socket.write(request)
    await (isAtOnce ? sleep(1) : came)
    socket.destroy()
  }

  const get = (path: string, accept = '*/*') =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nAccept: ${accept}\r\n\r\n`
  const post = (path: string, body: string, length = body.length) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`

  it('leave only request lines in the log, and the gateway goes on', async () => {
    const query = JSON.stringify({
      query: '{ assets(limit: 100) { data { ticker ohlcv(limit: 100) { rows } } } }',
    })
    const requests = [
      get('/v1/assets?limit=100'),
      get('/v1/forex?quote=USD&from=2000-01-01', 'text/csv'),
      post('/graphql', query),
      post('/graphql', query.slice(0, 10), query.length),
      post('/auth/login', '{', 100),
    ]
    for (let client = 0; client < CLIENTS; client += 1)
      for (const [index, request] of requests.entries()) await leave(request, index > 2 || client % 2 === 0)
    expect((await app.rest('/v1/assets/bitcoin', { key })).status).toBe(200)
    const records = app.logLines.map((line) => JSON.parse(line) as { level: number; status?: number })
    expect(records.filter(({ level }) => level > 30)).toEqual([])
    expect(records.filter(({ status = 200 }) => status >= 500)).toEqual([])
  })
})
