import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_ANONYMOUS_BYTES } from '../../../src/gateway/http/connection/read-body.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { RawSocket } from '../../support/peers/socket-client.js'

/** Not JSON, so that a gateway which parses it says so. */
const UNPARSEABLE = '{'.padEnd(MAX_ANONYMOUS_BYTES + 1, 'x')
const PATHS = ['/auth/login', '/v1/sanctions/screen', '/graphql', '/mcp', '/mcp?toolset=full']
/** More than any machine answers in the free time of a minute. */
const MOST_INTROSPECTIONS = 2_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp(quickestDatabase(), { env: { BURST_PER_MINUTE: '1000000' } })
})
afterAll(() => app?.close())

const post = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: '*/*', ...headers },
    body,
  })
  return { status: response.status, text: await response.text() }
}

describe('a body above 12 kB', () => {
  it.each(PATHS)('is refused unread without a credential by %s', async (path) => {
    const { status, text } = await post(path, UNPARSEABLE)
    expect([status, text]).toEqual([413, expect.stringContaining('the maximum without a key')])
    const smaller = await post(path, '{'.padEnd(MAX_ANONYMOUS_BYTES, 'x'))
    expect(smaller.status).toBe(path === '/v1/sanctions/screen' ? 401 : 400)
  })

  it.each(PATHS.slice(1))('is not parsed with a wrong key by %s', async (path) => {
    expect((await post(path, UNPARSEABLE, { 'x-api-key': 'mdg_live_wrong' })).status).toBe(401)
    expect((await post(path, UNPARSEABLE, { authorization: 'Bearer wrong' })).status).toBe(401)
  })

  it('is parsed with a key', async () => {
    const key = await app.newKey({ tier: 'pro' })
    for (const path of PATHS) expect((await post(path, UNPARSEABLE, { 'x-api-key': key })).status).toBe(400)
  })

  it('closes a WebSocket that has sent no credential', async () => {
    const socket = await new RawSocket(app.url).opened()
    socket.send(UNPARSEABLE)
    expect((await socket.closed).code).toBe(4401)
  })
})

describe('reading documents without a key', () => {
  it('is refused to an address that has used the time of a minute, and not to a caller with a key', async () => {
    // Each takes about ten milliseconds; a document that is refused takes a fraction of one.
    const query = (number: number) => `${getIntrospectionQuery()} # ${number}`
    const send = (text: string) => post('/graphql', JSON.stringify({ query: text }))
    let last = 0
    for (let sent = 0; sent < MOST_INTROSPECTIONS && last !== 429; sent += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, more) => send(query(sent + more))))
      last = answers.find(({ status }) => status === 429)?.status ?? 200
    }
    expect(last).toBe(429)
    expect((await send('{ nothing_of_that_name }')).status).toBe(429)
    const key = await app.newKey({ tier: 'pro' })
    expect((await app.graphql('{ asset(id: "bitcoin") { data { ticker } } }', { key })).status).toBe(200)
    expect(
      (await post('/auth/login', '{"email":"nobody@example.org","password":"wrong-password"}')).status,
    ).toBe(401)
  })
})
