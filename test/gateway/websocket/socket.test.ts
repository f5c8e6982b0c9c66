import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Client } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { changeCursor } from '../../../src/core/change-position.js'
import { ANALYSIS_CHANGES } from '../../../src/domains/analysis/changes/change-store.js'
import { MAX_STREAMS_PER_ACCOUNT } from '../../../src/gateway/graphql/stream/streams.js'
import { MAX_SOCKETS_PER_ACCOUNT } from '../../../src/gateway/websocket/socket.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import { content, daysAgo, draft, land, writeAssets } from '../../domains/analysis/analysis-world.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { RawSocket, socketClient } from '../../support/peers/socket-client.js'

const CHANGES = 'subscription { ai_analysis_changes { cursor item { asset_id } } }'

interface Sent {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[]
}

/** Everything that an operation is sent. */
async function all(client: Client, query: string): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  for await (const result of client.iterate({ query })) sent.push(result as Sent)
  return sent
}

const subscribe = (id: string, query = CHANGES) => ({ type: 'subscribe', id, payload: { query } })

describe('a WebSocket at the GraphQL endpoint', () => {
  let app: TestApp
  let key: string
  let days = 80
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty', env: { BURST_PER_MINUTE: '400' } })
    await writeAssets(app.database, 2)
    await change()
    await change()
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  /** A new snapshot of bitcoin; the clock goes on by a minute, so that versions are read and counts start again. */
  const change = async () => {
    const generatedAt = daysAgo(--days)
    await land(app.database, [draft({ generatedAt, content: content({ sentiment_score: days / 1_000 }) })])
    app.clock.advance(60_000)
  }
  const raw = () => new RawSocket(app.url)

  /** A subscription from the newest change on, which misses none however late it is opened. */
  const fromNow = async () => {
    const everything = { since: null, analysisType: null, changeType: null, source: 'seed' }
    const changes = await ANALYSIS_CHANGES.loadAfter(app.database, everything, { after: null, limit: 1_000 })
    const newest = changes.at(-1)
    if (newest === undefined) throw new Error('nothing has changed')
    return `subscription { ai_analysis_changes(cursor: "${changeCursor(newest)}") { item { asset_id } } }`
  }

  it('sends changes', async () => {
    const client = socketClient(app.url, { 'x-api-key': key })
    const events = client.iterate<{ ai_analysis_changes: { item: { asset_id: string } } }>({
      query: 'subscription Changes { ai_analysis_changes { item { asset_id } } usage: __typename }',
      operationName: 'Changes',
    })
    const first = events.next()
    await expect(first).rejects.toBeDefined()
    const changes = client.iterate<{ ai_analysis_changes: unknown }>({ query: await fromNow() })
    const next = changes.next()
    // A query on the same connection.
    const [usage] = await all(client, '{ usage { policies { used } } }')
    expect(usage?.errors).toBeUndefined()
    await change()
    expect((await next).value?.data).toMatchObject({ ai_analysis_changes: { item: { asset_id: 'bitcoin' } } })
    await changes.return?.()
    await client.dispose()
  })

  it('answers queries and mutations, and errors as errors', async () => {
    const client = socketClient(app.url, { Authorization: `Bearer nobody` })
    await expect(all(client, '{ __typename }')).rejects.toMatchObject({ code: 4401 })
    const known = socketClient(app.url, { 'X-Api-Key': key })
    expect(await all(known, '{ __typename }')).toMatchObject([{ data: { __typename: 'Query' } }])
    expect(
      await all(
        known,
        '{ a: asset(id: "bitcoin") { data { ticker } } b: asset(id: "x") { data { ticker } } }',
      ),
    ).toMatchObject([{ data: { a: { data: { ticker: 'BTC' } }, b: null }, errors: [{ path: ['b'] }] }])
    await expect(all(known, '{ nothing }')).rejects.toMatchObject([
      { message: expect.stringContaining('nothing') },
    ])
    await expect(
      all(known, 'subscription { ai_analysis_changes(cursor: "x") { cursor } }'),
    ).rejects.toMatchObject([{ extensions: { code: 'VALIDATION_ERROR', http: { status: 422 } } }])
    await known.dispose()
  })

  it('sends a cached answer byte for byte', async () => {
    const summary = 'Écart – 1 €'
    const generatedAt = daysAgo(--days)
    await land(app.database, [draft({ generatedAt, content: content({ summary }) })])
    app.clock.advance(60_000)
    const client = socketClient(app.url, { 'x-api-key': key })
    const ask = () =>
      all(client, '{ ai_analysis_latest(asset_id: "bitcoin") { snapshot_content { summary } } }')
    for (const _time of [1, 2, 3])
      expect(await ask()).toMatchObject([{ data: { ai_analysis_latest: { snapshot_content: { summary } } } }])
    await client.dispose()
  })

  it('accepts the key of its request as well, and refuses two that differ', async () => {
    const opened = await new RawSocket(app.url, undefined, { 'x-api-key': key }).opened()
    opened.send({ type: 'connection_init' })
    expect(await opened.next()).toEqual({ type: 'connection_ack' })
    const twice = await new RawSocket(app.url, undefined, { 'x-api-key': key }).opened()
    twice.send({ type: 'connection_init', payload: { 'X-API-Key': `${key}0` } })
    expect(await twice.closed).toEqual({
      code: 4400,
      reason: 'x-api-key is given twice with different values; send one.',
    })
    opened.socket.close()
  })

  it('is refused without a key, with an unknown protocol, and before authentication', async () => {
    const nobody = await raw().opened()
    nobody.send({ type: 'connection_init' })
    expect(await nobody.closed).toEqual({
      code: 4401,
      reason:
        'Send X-API-Key or Authorization as a header or in connection_init. The page /account creates keys.',
    })
    const stranger = await raw().opened()
    stranger.send({ type: 'connection_init', payload: { 'x-api-key': makeApiKey('test', randomBytes) } })
    expect(await stranger.closed).toEqual({
      code: 4401,
      reason: 'X-API-Key is unknown; no account has this key. The page /account creates keys.',
    })
    const early = await raw().opened()
    early.send(subscribe('1'))
    expect((await early.closed).code).toBe(4401)
    const twice = await raw().initialised(key)
    twice.send({ type: 'connection_init' })
    expect((await twice.closed).code).toBe(4429)
    // The client itself gives up where none of its protocols is taken.
    const wrong = new RawSocket(app.url, 'graphql-ws')
    expect((await wrong.closed).code).toBe(1006)
    const without = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`)
    const [code] = await once(without, 'close')
    expect(code).toBe(4406)
  })

  it('closes on a message outside the protocol', async () => {
    const wrong = [
      'no JSON',
      '[]',
      { type: 'start', id: '1' },
      { type: 'subscribe', id: '1' },
      subscribe('x'.repeat(200)),
    ]
    for (const message of wrong) {
      const socket = await raw().initialised(key)
      socket.send(message)
      expect((await socket.closed).code).toBe(4400)
    }
    const binary = await raw().initialised(key)
    binary.socket.send(Buffer.from(JSON.stringify({ type: 'ping' })))
    expect((await binary.closed).code).toBe(4400)
    const same = await raw().initialised(key)
    same.send(subscribe('1'))
    same.send(subscribe('1'))
    expect((await same.closed).code).toBe(4409)
    const large = await raw().initialised(key)
    large.send(subscribe('1', `{ __typename } # ${'x'.repeat(1_000_000)}`))
    expect((await large.closed).code).toBe(1009)
    app.clock.advance(60_000)
  })

  it('does not compress, whatever is offered', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      perMessageDeflate: true,
    })
    await once(socket, 'open')
    expect(socket.extensions).toBe('')
    socket.terminate()
  })

  it('limits subscriptions per account, over all of its connections and over HTTP', async () => {
    const socket = await raw().initialised(key)
    const query = await fromNow()
    for (let id = 0; id < 300; id++) socket.send(subscribe(String(id), query))
    const refused = new Set<string>()
    while (refused.size < 300 - MAX_STREAMS_PER_ACCOUNT) {
      const { type, id, payload } = await socket.next()
      expect(type).toBe('error')
      expect(payload).toMatchObject([{ extensions: { code: 'RATE_LIMIT_EXCEEDED' } }])
      refused.add(String(id))
    }
    const open = Array.from({ length: 300 }, (_, id) => String(id)).filter((id) => !refused.has(id))
    expect(open).toHaveLength(MAX_STREAMS_PER_ACCOUNT)
    const sentTo = async () => {
      const ids = new Set<string>()
      while (ids.size < MAX_STREAMS_PER_ACCOUNT) {
        const { type, id } = await socket.next()
        expect(type).toBe('next')
        ids.add(String(id))
      }
      return ids
    }
    // One that is still being opened has its place until it is open, even when its client completes it.
    await change()
    expect(await sentTo()).toEqual(new Set(open))
    // A stream that completes frees its place.
    socket.send({ type: 'complete', id: open[0] })
    socket.send(subscribe('another', await fromNow()))
    await change()
    const answered = await sentTo()
    expect(answered.has('another')).toBe(true)
    expect(answered.has(String(open[0]))).toBe(false)
    socket.socket.terminate()
  })

  it('is cut off if it floods with messages or pings', async () => {
    const messages = await raw().initialised(key)
    for (let count = 0; count < 500; count++) messages.send({ type: 'ping' })
    expect(await messages.closed).toEqual({
      code: 4429,
      reason: 'Too many messages in this minute; connect again in the next one.',
    })
    // The address has spent its minute: no other connection is taken either.
    const refused = new RawSocket(app.url)
    expect((await refused.closed).code).toBe(1006)
    app.clock.advance(60_000)
    const pings = await raw().initialised(key)
    for (let count = 0; count < 500; count++) pings.socket.ping(randomBytes(100))
    expect((await pings.closed).code).toBe(4429)
    app.clock.advance(60_000)
  })

  it('is limited in number per account', async () => {
    const own = await app.newKey({ tier: 'starter' })
    const open: RawSocket[] = []
    for (let count = 0; count < MAX_SOCKETS_PER_ACCOUNT; count++) open.push(await raw().initialised(own))
    const more = await raw().opened()
    more.send({ type: 'connection_init', payload: { 'X-API-Key': own } })
    expect((await more.closed).code).toBe(4429)
    open[0]?.socket.close()
    await open[0]?.closed
    const again = await raw().initialised(own)
    for (const { socket } of [...open, again]) socket.terminate()
  })

  it('ends when its key is revoked', async () => {
    const own = await app.newKey({ tier: 'starter' })
    const socket = await raw().initialised(own)
    socket.send(subscribe('1'))
    await app.database.rows('update api_key set revoked_at = $1 where key_prefix = $2', [
      app.clock.now(),
      own.slice(0, 16),
    ])
    app.clock.advance(2_000)
    expect((await socket.closed).code).toBe(4401)
  })

  it('leaves other upgrade offers alone', async () => {
    const port = Number(new URL(app.url).port)
    const socket = connect(port, '127.0.0.1')
    const body = JSON.stringify({ query: '{ __typename }' })
    socket.write(
      [
        'POST /graphql HTTP/1.1',
        'Host: localhost',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AA',
        `X-API-Key: ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        '',
      ].join('\r\n'),
    )
    socket.write(body)
    let text = ''
    // Node 24.9 and later keep the connection, older versions close it.
    for await (const chunk of socket) {
      text += String(chunk)
      if (text.includes('"__typename":"Query"')) break
    }
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    const elsewhere = new WebSocket(`${app.url.replace('http', 'ws')}/v1/assets`, 'graphql-transport-ws')
    const [error] = (await once(elsewhere, 'error')) as [Error]
    expect(error.message).toContain('401')
  })

  it('gets a close frame when the gateway stops', async () => {
    const own = await app.newKey({ tier: 'growth' })
    const socket = await raw().initialised(own)
    socket.send(subscribe('1'))
    app.drain()
    expect(await socket.closed).toEqual({ code: 1001, reason: 'The gateway is stopping; connect again.' })
    expect((await raw().closed).code).toBe(1006)
  })
})
