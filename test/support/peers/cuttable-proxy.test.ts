import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BLACK_HOLE, type CuttableProxy, startCuttableProxy } from './cuttable-proxy.js'

describe('a proxy', () => {
  let server: Server
  let proxy: CuttableProxy
  /** At the server, in the order of their arrival. */
  let accepted: Socket[]
  let clients: Socket[]

  beforeEach(async () => {
    accepted = []
    clients = []
    // Answers each chunk in capitals, and leaves its half open when the other ends.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket)
      socket.on('error', () => socket.destroy())
      socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    proxy = await startCuttableProxy(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`) // on TCP
  })

  afterEach(async () => {
    for (const socket of [...accepted, ...clients]) socket.destroy()
    await proxy.close()
    server.close()
    await once(server, 'close')
  })

  const open = async () => {
    const socket = connect({ port: Number(new URL(proxy.url).port), host: '127.0.0.1', allowHalfOpen: true })
    clients.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const say = async (socket: Socket, text: string) => {
    socket.write(text)
    return String((await once(socket, 'data'))[0])
  }
  /** The code of the error that it broke with, or "end". */
  const endOf = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      socket.on('end', () => resolve('end'))
      socket.resume()
    })

  it('carries both ways', async () => {
    const client = await open()
    expect([await say(client, 'one'), await say(client, 'two')]).toEqual(['ONE', 'TWO'])
  })

  it.each([
    ['cut', 'end'],
    ['reset', 'ECONNRESET'],
  ] as const)('that is %s ends old and new connections by %s, until it is mended', async (way, ending) => {
    const client = await open()
    await say(client, 'one')
    const ended = endOf(client)
    proxy[way]()
    expect(await ended).toBe(ending)
    const refused = connect(Number(new URL(proxy.url).port), '127.0.0.1')
    clients.push(refused)
    expect(await endOf(refused)).toBe(ending)
    proxy.mend()
    expect(await say(await open(), 'two')).toBe('TWO')
  })

  it('that closes the connection to the client still carries the client’s bytes, without an end for the server', async () => {
    const client = await open()
    await say(client, 'one')
    const ended = endOf(client)
    proxy.halfClose('client')
    expect(await ended).toBe('end')
    const [server] = accepted
    const heard = once(server as Socket, 'data')
    client.write('still here')
    expect(String((await heard)[0])).toBe('still here')
    expect(server?.readableEnded).toBe(false)
  })

  it('that closes the connection to the server keeps the client’s connection, also a new one', async () => {
    const client = await open()
    await say(client, 'one')
    const ended = once(accepted[0] as Socket, 'end')
    proxy.halfClose('server')
    await ended
    const second = await open()
    await expect.poll(() => accepted[1]?.readableEnded).toBe(true)
    expect([client.readableEnded, second.readableEnded]).toEqual([false, false])
    const broken = [once(client, 'close'), once(second, 'close')]
    for (const socket of [client, second]) socket.on('end', () => socket.end()).resume()
    proxy.mend()
    await Promise.all(broken)
    expect(await say(await open(), 'two')).toBe('TWO')
  })

  it('that is a black hole carries nothing meanwhile, and continues with later bytes', async () => {
    const client = await open()
    await say(client, 'one')
    proxy.disturb(BLACK_HOLE)
    client.write('lost')
    const other = await open()
    other.write('lost too')
    await expect.poll(() => accepted).toHaveLength(2)
    proxy.pass()
    expect(await say(client, 'two')).toBe('TWO')
  })

  it('delays bytes, in their order, and by their number', async () => {
    const client = await open()
    await say(client, 'one')
    proxy.disturb({ towards: 'client', delayMs: 200 })
    const delayedAt = performance.now()
    expect(await say(client, 'two')).toBe('TWO')
    expect(performance.now() - delayedAt).toBeGreaterThanOrEqual(190)
    proxy.disturb({ towards: 'server', bytesPerSecond: 100 })
    const throttledAt = performance.now()
    expect(await say(client, 'x'.repeat(30))).toBe('X'.repeat(30))
    expect(performance.now() - throttledAt).toBeGreaterThanOrEqual(290)
  })
})
