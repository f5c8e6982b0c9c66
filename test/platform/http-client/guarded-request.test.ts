import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Guard, guardedRequest } from '../../../src/platform/http-client/guarded-request.js'
import { ForbiddenAddress } from '../../../src/platform/http-client/public-address.js'
import { type Listening, listen } from '../../support/peers/sockets.js'

let server: Listening
let asked: IncomingMessage[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void
beforeAll(async () => {
  server = await listen((request, response) => {
    asked.push(request)
    answer(request, response)
  })
})
afterAll(() => server.close())
beforeEach(() => {
  asked = []
  answer = (_, response) => response.end('inside')
})

const LOOPBACK: Guard = { isAllowed: (address) => address === '127.0.0.1' }
const ask = (url: string, guard: Guard = {}, more: object = {}) =>
  guardedRequest({ url: new URL(url), headers: {}, signal: AbortSignal.timeout(20_000), ...more }, guard)
const at = (host: string) => `http://${host}:${server.port}/x`

it.each([
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '0',
  'localhost',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
])('connects to no private address: %s', async (host) => {
  await expect(ask(at(host))).rejects.toThrow(ForbiddenAddress)
  expect(asked).toEqual([])
})

it.each([
  ['private', ['10.0.0.1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['public and private', ['93.184.215.14', '127.0.0.1']],
  ['nothing', []],
])('refuses a name that resolves to what is %s', async (_, addresses) => {
  await expect(ask(at('rebind.example'), { resolve: async () => addresses })).rejects.toThrow(
    ForbiddenAddress,
  )
  expect(asked).toEqual([])
})

it('connects to the checked address, whatever the name resolves to next', async () => {
  const answers = ['127.0.0.1', '127.0.0.2', '10.0.0.1']
  let lookups = 0
  const resolve = async () => [answers[lookups++] ?? '']
  const response = await ask(at('rebind.example'), { ...LOOPBACK, resolve })
  expect([await response.text(), lookups]).toEqual(['inside', 1])
  expect(asked[0]?.headers.host).toBe(`rebind.example:${server.port}`)
  // The next request is another connection, and checked again.
  await expect(ask(at('rebind.example'), { ...LOOPBACK, resolve })).rejects.toThrow(ForbiddenAddress)
  expect(asked.length).toBe(1)
})

it('returns a redirect as an answer, and follows none', async () => {
  answer = (_, response) => response.writeHead(302, { location: at('127.0.0.1') }).end()
  const response = await ask(at('127.0.0.1'), LOOPBACK)
  expect([response.status, response.headers.get('location')]).toEqual([302, at('127.0.0.1')])
  expect(asked.length).toBe(1)
})

it('sends method, headers and body, and decompresses gzip', async () => {
  const bodies: string[] = []
  answer = (request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()))
    request.on('end', () => response.writeHead(201, { 'content-encoding': 'gzip' }).end(gzipSync('done')))
  }
  const response = await ask(at('127.0.0.1'), LOOPBACK, {
    method: 'POST',
    headers: { 'x-kind': 'test' },
    body: 'sent',
  })
  expect([response.status, await response.text(), bodies.join('')]).toEqual([201, 'done', 'sent'])
  expect([asked[0]?.method, asked[0]?.headers['x-kind']]).toEqual(['POST', 'test'])
})

it('ends with the signal while it waits, and within the body', async () => {
  const reason = new Error('enough')
  const ending = new AbortController()
  answer = () => ending.abort(reason)
  await expect(ask(at('127.0.0.1'), LOOPBACK, { signal: ending.signal })).rejects.toMatchObject({
    name: 'AbortError',
  })
  const later = new AbortController()
  answer = (_, response) => response.writeHead(200).write('a part')
  const { body } = await ask(at('127.0.0.1'), LOOPBACK, { signal: later.signal })
  const reader = body?.getReader()
  await reader?.read()
  later.abort(reason)
  await expect(reader?.read()).rejects.toThrow()
})
