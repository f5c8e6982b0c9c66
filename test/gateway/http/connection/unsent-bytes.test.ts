import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/core/time.js'
import { UnsentBytes } from '../../../../src/gateway/http/connection/unsent-bytes.js'
import { createListener } from '../../../../src/gateway/http/node.js'
import { createLogger } from '../../../../src/platform/logger.js'
import type { ReplyBody } from '../../../../src/platform/request/exchange.js'
import { eventually } from '../../../support/eventually.js'
import { type Listening, listen } from '../../../support/peers/sockets.js'

const MIB = 2 ** 20
const LARGE = Buffer.alloc(8 * MIB)

describe('the count of unsent bytes', () => {
  const counted = (limits: { perAddress: number; inAll: number }) => {
    const unsent = new UnsentBytes(limits)
    const cut: string[] = []
    const add = (address: string, bytes: number, name: string) =>
      unsent.add(address, bytes, () => void cut.push(name))
    return { unsent, cut, add }
  }

  it('cuts the oldest reply of an address that holds more than it may, and no other address', () => {
    const { unsent, cut, add } = counted({ perAddress: 100, inAll: 1_000 })
    add('other', 90, 'other')
    add('a', 60, 'first')
    add('a', 40, 'second')
    expect(cut).toEqual([])
    add('a', 30, 'third')
    expect([cut, unsent.bytes, unsent.cuts]).toEqual([['first'], 160, 1])
  })

  it('cuts the oldest reply of the address that holds most when all hold more than they may', () => {
    const { unsent, cut, add } = counted({ perAddress: 100, inAll: 150 })
    add('heavy', 40, 'heavy 1')
    add('heavy', 40, 'heavy 2')
    add('light', 30, 'light')
    add('other', 60, 'other')
    expect([cut, unsent.bytes]).toEqual([['heavy 1'], 130])
  })

  it('cuts a single reply that is larger than an address may hold', () => {
    const { unsent, cut, add } = counted({ perAddress: 100, inAll: 1_000 })
    add('a', 101, 'large')
    expect([cut, unsent.bytes]).toEqual([['large'], 0])
  })

  it('forgets a reply once its client has received it', () => {
    const { unsent, add } = counted({ perAddress: 100, inAll: 1_000 })
    const release = add('a', 60, 'taken')
    release()
    release()
    expect(unsent.bytes).toBe(0)
  })
})

describe('clients that do not read their responses', () => {
  const opened: { server: Listening | null; sockets: Socket[] } = { server: null, sockets: [] }
  afterEach(async () => {
    for (const socket of opened.sockets.splice(0)) socket.destroy()
    await opened.server?.close()
  })

  async function serve(unsent: UnsentBytes, body: () => ReplyBody): Promise<Listening> {
    const options = { clock: systemClock, log: createLogger('silent'), unsent, isDraining: () => false }
    const hashAddress = (forwarded: string | undefined) => forwarded ?? 'reader'
    const listener = createListener(
      async ({ path }) => ({ status: 200, headers: [], body: path === '/ok' ? 'ok' : body() }),
      { ...options, hashAddress },
    )
    opened.server = await listen(listener)
    return opened.server
  }

  /** Asks so often on one connection, and reads nothing. */
  async function askWithoutReading(port: number, times: number): Promise<{ isCut: boolean }> {
    const socket = connect(port, '127.0.0.1').pause()
    opened.sockets.push(socket)
    const state = { isCut: false }
    socket.on('error', () => {
      state.isCut = true
    })
    await once(socket, 'connect')
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: deaf\r\n\r\n'.repeat(times))
    return state
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 100; count++) yield LARGE
  }

  it.each([
    ['whole', 1, () => LARGE],
    ['whole, several of a connection at once', 20, () => LARGE],
    ['made while they are sent', 1, () => chunks()],
  ] as const)('hold no more than an address may of replies that are %s', async (_how, times, body) => {
    const perAddress = 32 * MIB
    const unsent = new UnsentBytes({ perAddress, inAll: 64 * MIB })
    const { port, url } = await serve(unsent, body)
    for (let count = 0; count < 40; count++) await askWithoutReading(port, times)
    // Of forty, the newest whose replies fit into the bound are left.
    await eventually(() => expect(unsent.cuts).toBeGreaterThanOrEqual(20))
    expect(unsent.bytes).toBeLessThanOrEqual(perAddress)
    expect(await (await fetch(`${url}/ok`)).text()).toBe('ok')
    for (const socket of opened.sockets.splice(0)) socket.destroy()
    await eventually(() => expect(unsent.bytes).toBe(0))
  })

  it('do not affect a client that reads from another address', async () => {
    const unsent = new UnsentBytes({ perAddress: 32 * MIB, inAll: 40 * MIB })
    const { port, url } = await serve(unsent, () => LARGE)
    for (let count = 0; count < 10; count++) await askWithoutReading(port, 1)
    for (let count = 0; count < 5; count++) {
      const response = await fetch(`${url}/large`)
      await sleep(10)
      expect((await response.arrayBuffer()).byteLength).toBe(LARGE.length)
    }
  })
})
