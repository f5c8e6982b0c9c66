import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type SendOptions, sendEvent } from '../../../../src/domains/webhooks/delivery/send-event.js'
import {
  RECEIVER_CERTIFICATE,
  type ReceiverRule,
  startReceiver,
  type WebhookReceiver,
} from '../../../support/peers/webhook-receiver.js'
import { waitedMs } from '../../../support/waited-ms.js'

let receiver: WebhookReceiver | undefined
afterEach(() => receiver?.close())

const CA = readFileSync(RECEIVER_CERTIFICATE, 'utf8')
const TIMEOUT_MS = 2_000
const NO_HOSTS = { privateHosts: new Set<string>(), localHosts: new Set<string>() }

/** Sends to a receiver on this machine as if its name led to a public address. */
async function send(rule: ReceiverRule, options: Partial<SendOptions> = {}) {
  receiver = await startReceiver(rule)
  const guard = { ca: CA, isAllowed: () => true, resolve: async () => ['127.0.0.1'] }
  const event = { url: `${receiver.url}/hook`, headers: { 'webhook-id': 'a' }, body: '{"ä":1}' }
  return sendEvent(event, { timeoutMs: TIMEOUT_MS, ...NO_HOSTS, guard, ...options })
}

describe('sending an event', () => {
  it('succeeds with a 2xx, as JSON with its headers', async () => {
    expect(await send((_event, _response, accept) => accept())).toMatchObject({
      kind: 'delivered',
      status: 204,
      error: null,
    })
    expect(receiver?.events).toMatchObject([
      { path: '/hook', id: 'a', body: '{"ä":1}', headers: { 'content-type': 'application/json' } },
    ])
  })

  it.each([
    [500, 'failed', 'status 500'],
    [410, 'gone', 'status 410'],
    [302, 'failed', 'status 302: a redirect'],
  ] as const)('has failed with a %s, and no redirect is followed', async (status, kind, error) => {
    const location = receiver?.url ?? 'https://localhost:1/'
    const outcome = await send((_event, response) => void response.writeHead(status, { location }).end())
    expect(outcome).toMatchObject({ kind, status, error })
    expect(receiver?.events).toHaveLength(1)
  })

  it('fails without a response in time, with a broken connection, and without a listener', async () => {
    const waited = await waitedMs(async () =>
      expect(await send(() => {}, { timeoutMs: 300 })).toMatchObject({
        status: null,
        error: 'no response within 300 ms',
      }),
    )
    expect(waited).toBe(300)
    await receiver?.close()
    expect(await send((_event, response) => void response.destroy())).toMatchObject({
      kind: 'failed',
      error: 'the connection failed: ECONNRESET',
    })
  })

  it('reads an endless response for a few kilobytes only', async () => {
    const outcome = await send(async (_event, response) => {
      response.writeHead(200)
      while (!response.destroyed) {
        response.write('x'.repeat(1_000))
        await sleep(1)
      }
    })
    expect(outcome).toMatchObject({ kind: 'delivered', status: 200 })
  })

  it('returns the wait that the receiver asks for, at most an hour', async () => {
    const rule: ReceiverRule = (_event, response) =>
      void response.writeHead(429, { 'retry-after': '99999' }).end()
    expect(await send(rule)).toMatchObject({ status: 429, retryAfterMs: 3_600_000 })
  })

  it('reaches no private address, whatever the name, and no host without a valid certificate', async () => {
    const rule: ReceiverRule = (_event, _response, accept) => accept()
    const forbidden = {
      kind: 'failed',
      status: null,
      error: 'the host resolves to an address that is not public',
    }
    expect(await send(rule, { guard: { ca: CA } })).toMatchObject(forbidden)
    await receiver?.close()
    const rebound = { ca: CA, resolve: async () => ['8.8.8.8', '127.0.0.1'] }
    expect(await send(rule, { guard: rebound })).toMatchObject(forbidden)
    await receiver?.close()
    expect(await send(rule, { guard: { isAllowed: () => true } })).toMatchObject({
      error: expect.stringMatching(/^TLS failed/),
    })
    expect(receiver?.events).toEqual([])
  })

  it('reaches a private host that the operator has named, and never without TLS', async () => {
    const rule: ReceiverRule = (_event, _response, accept) => accept()
    expect(await send(rule, { guard: { ca: CA }, privateHosts: new Set(['localhost']) })).toMatchObject({
      kind: 'delivered',
    })
    const plain = { url: 'http://localhost:1/', headers: {}, body: '{}' }
    const named = { ...NO_HOSTS, timeoutMs: 1_000, privateHosts: new Set(['localhost']) }
    expect(await sendEvent(plain, named)).toMatchObject({ kind: 'failed' })
  })

  it('reaches a host of this machine without TLS where the gateway is in development, and no other host', async () => {
    const paths: string[] = []
    const server = createServer((request, response) => {
      paths.push(request.url ?? '')
      response.writeHead(204).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const local = { ...NO_HOSTS, timeoutMs: TIMEOUT_MS, localHosts: new Set(['localhost', '127.0.0.1']) }
    const to = (host: string, options: Partial<SendOptions> = {}) =>
      sendEvent({ url: `http://${host}:${port}/hook`, headers: {}, body: '{}' }, { ...local, ...options })
    expect(await to('127.0.0.1')).toMatchObject({ kind: 'delivered', status: 204 })
    expect(await to('localhost', { guard: { resolve: async () => ['127.0.0.1'] } })).toMatchObject({
      kind: 'delivered',
    })
    expect(await to('localhost', { guard: { resolve: async () => ['10.0.0.1'] } })).toMatchObject({
      kind: 'failed',
    })
    expect(await to('127.0.0.1', NO_HOSTS)).toMatchObject({ kind: 'failed' })
    expect(await to('127.0.0.2')).toMatchObject({ kind: 'failed' })
    expect(paths).toEqual(['/hook', '/hook'])
    server.close()
  })
})
