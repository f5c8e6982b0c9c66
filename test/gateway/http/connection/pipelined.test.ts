import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../../../../src/core/time.js'
import { createListener, type Handle } from '../../../../src/gateway/http/node.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { eventually } from '../../../support/eventually.js'
import { type Listening, listen } from '../../../support/peers/sockets.js'

const opened: { servers: Listening[]; sockets: Socket[] } = { servers: [], sockets: [] }
afterEach(async () => {
  for (const socket of opened.sockets.splice(0)) socket.destroy()
  for (const { close } of opened.servers.splice(0)) await close()
})

async function serve(handle: Handle): Promise<Socket> {
  const log = createLogger('silent')
  const options = { clock: systemClock, log, hashAddress: () => 'x', isDraining: () => false }
  const server = await listen(createListener(handle, options))
  opened.servers.push(server)
  const socket = connect(server.port, '127.0.0.1')
  opened.sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const reply = (body: string) => ({ status: 200, headers: [], body })

/** The bodies received so far, each in angle brackets. */
function bodies(socket: Socket): () => readonly string[] {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => [...text.matchAll(/<([^>]*)>/g)].map(([, body]) => body ?? '')
}

it('answers pipelined requests one after another in their order, any number of them', async () => {
  const running = { now: 0, most: 0 }
  const socket = await serve(async ({ path }) => {
    running.now += 1
    running.most = Math.max(running.most, running.now)
    await new Promise(setImmediate)
    running.now -= 1
    return reply(`<${path}>`)
  })
  const received = bodies(socket)
  const paths = Array.from({ length: 5_000 }, (_, number) => `/${number}`)
  socket.write(paths.map(get).join(''))
  await eventually(() => expect(received()).toHaveLength(paths.length))
  expect(received()).toEqual(paths)
  expect(running.most).toBe(1)
})

it('stops reading a connection while many of its requests wait, and continues after them', async () => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const socket = await serve(async ({ path }) => {
    if (path === '/first') await held
    return reply('<>')
  })
  const received = bodies(socket)
  // More than the buffers between the two can hold: the rest stays with the client.
  const padded = `GET /next HTTP/1.1\r\nHost: x\r\nX-Padding: ${'x'.repeat(10_000)}\r\n\r\n`
  const count = 4_000
  socket.write(get('/first') + padded.repeat(count))
  // That no more is read shows only after a while.
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(socket.writableLength).toBeGreaterThan(0)
  letGo()
  await eventually(() => expect(received()).toHaveLength(1 + count))
})

it('reads the body of a request that waited', async () => {
  const socket = await serve(async ({ path, body }) => reply(`<${path} ${body?.length ?? 0}>`))
  const received = bodies(socket)
  const large = 'x'.repeat(200_000)
  const post = `POST /large HTTP/1.1\r\nHost: x\r\nX-API-Key: k\r\nContent-Length: ${large.length}\r\n\r\n${large}`
  socket.write(get('/first') + post + get('/last'))
  await eventually(() => expect(received()).toEqual(['/first 0', '/large 200000', '/last 0']))
})

it('does not start waiting requests when their client disconnects', async () => {
  const begun: string[] = []
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const socket = await serve(async (exchange) => {
    begun.push(exchange.path)
    exchange.signal.addEventListener('abort', () => close())
    await closed
    return reply('')
  })
  socket.write(get('/first') + get('/second'))
  await eventually(() => expect(begun).toEqual(['/first']))
  socket.resetAndDestroy()
  await closed
  // That the second is not begun shows only after a while.
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(begun).toEqual(['/first'])
})
