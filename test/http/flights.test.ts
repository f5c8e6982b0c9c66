import { once } from 'node:events'
import { createServer, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Flights } from '../../src/http/flights.js'

let server: Server
let flights: Flights
beforeEach(async () => {
  flights = new Flights()
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** A response on a real socket, and the client that waits for it. */
async function response(): Promise<{ readonly response: ServerResponse; abort(): void }> {
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  const client = request({ port, host: '127.0.0.1', agent: false }).on('error', () => {})
  client.on('response', (answer) => answer.resume())
  client.end()
  const [, made] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { response: made, abort: () => client.destroy() }
}

/** Whether a promise is settled, once everything that can happen has happened. */
async function isSettled(promise: unknown): Promise<boolean> {
  let settled = false
  Promise.resolve(promise).then(() => {
    settled = true
  })
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  return settled
}

describe('who asks for an answer that is being made', () => {
  it('waits until the first is through, and is told that it was made', async () => {
    const first = await response()
    expect(flights.join('key', first.response)).toBe(true)
    const others = [await response(), await response()].map((other) => flights.join('key', other.response))
    expect(await isSettled(Promise.race(others))).toBe(false)
    first.response.end('made')
    expect(await Promise.all(others)).toEqual([false, false])
  })

  it('does not wait for another question', async () => {
    const [first, other] = [await response(), await response()]
    expect(flights.join('key', first.response)).toBe(true)
    expect(flights.join('other', other.response)).toBe(true)
  })

  it('makes it when the first is through and it was not kept', async () => {
    const [first, next] = [await response(), await response()]
    flights.join('key', first.response)
    first.response.end('made')
    await once(first.response, 'close')
    expect(flights.join('key', next.response)).toBe(true)
  })

  it('goes on when the client of the first has gone', async () => {
    const [first, other] = [await response(), await response()]
    flights.join('key', first.response)
    const waiting = flights.join('key', other.response)
    first.abort()
    expect(await waiting).toBe(false)
  })

  it('does not wait for one whose client had gone before it began', async () => {
    const [first, other] = [await response(), await response()]
    first.abort()
    await once(first.response, 'close')
    flights.join('key', first.response)
    first.response.end('made for nobody')
    expect(await isSettled(flights.join('key', other.response))).toBe(true)
  })

  it('leaves no listeners behind on the response', async () => {
    const first = await response()
    const before = first.response.listenerCount('close') + first.response.listenerCount('finish')
    flights.join('key', first.response)
    first.response.end('made')
    await once(first.response, 'close')
    const after = first.response.listenerCount('close') + first.response.listenerCount('finish')
    expect(after).toBeLessThanOrEqual(before)
  })
})
