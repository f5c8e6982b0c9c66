import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, describe, it } from 'vitest'
import { CONNECTION_LIMITS, createServer } from '../../../../src/gateway/http/connection/create-server.js'

const QUICK = { ...CONNECTION_LIMITS, headersMs: 300, requestMs: 600, checkMs: 50, stalledMs: 400 }
const LARGE = Buffer.alloc(20_000_000, 'x')

const opened: { readonly servers: Server[]; readonly sockets: Socket[] } = { servers: [], sockets: [] }
afterAll(() => {
  for (const socket of opened.sockets.splice(0)) socket.destroy()
  for (const server of opened.servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function start(
  listener: Parameters<typeof createServer>[0],
  limits = QUICK,
  isBehindProxy = false,
): Promise<number> {
  const server = createServer(listener, { limits, isBehindProxy })
  opened.servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port // it listens on TCP
}

async function client(port: number): Promise<{ readonly socket: Socket; readonly closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1')
  opened.sockets.push(socket)
  socket.on('error', () => {}) // a reset is one way of being cut
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed])
  return { socket, closed }
}

it('production allows 10 s for headers, 30 s for a request, and drops a client that never reads within 35 s', ({
  expect,
}) => {
  const { headersMs, requestMs, checkMs, stalledMs } = CONNECTION_LIMITS
  expect([headersMs, requestMs]).toEqual([10_000, 30_000])
  // How much later than that it is noticed.
  expect(checkMs).toBeLessThanOrEqual(1_000)
  expect(2 * stalledMs).toBeLessThanOrEqual(30_000)
  const server = createServer(() => {})
  expect(server).toMatchObject({ headersTimeout: headersMs, requestTimeout: requestMs, timeout: stalledMs })
})

// Side by side: each waits for time limits of a server of its own.
describe.concurrent('a connection without progress', () => {
  it('is cut when its headers do not come, or come byte by byte', async () => {
    const port = await start((_request, response) => response.end())
    const silent = await client(port)
    silent.socket.resume()
    const slow = await client(port)
    slow.socket.resume()
    slow.socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    const drip = setInterval(() => slow.socket.write('a'), 20)
    await Promise.all([silent.closed, slow.closed])
    clearInterval(drip)
  })

  it('is cut when its body comes too slowly', async () => {
    const port = await start((request, response) => request.resume().on('end', () => response.end()))
    const { socket, closed } = await client(port)
    socket.resume()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n')
    const drip = setInterval(() => socket.write('a'), 20)
    await closed
    clearInterval(drip)
  })

  it('is cut when its client never reads the response, however many requests it pipelines', async ({
    expect,
  }) => {
    // A client that does not read does not learn that it was cut either.
    let cut: Promise<unknown> | undefined
    const port = await start(({ socket }, response) => {
      cut ??= new Promise((resolve) => socket.once('close', resolve))
      response.end(LARGE)
    })
    const { socket } = await client(port)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5))
    await expect.poll(() => cut).toBeDefined()
    await cut
  })

  it('is reset when its client never reads, so that the kernel keeps nothing of the response', async ({
    expect,
  }) => {
    const port = await start((_request, response) => response.end(LARGE))
    const { socket, closed } = await client(port)
    let code: string | undefined
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code
    })
    socket.pause()
    const write = setInterval(() => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 50)
    await expect.poll(() => code, { timeout: 10_000 }).toMatch(/^(ECONNRESET|EPIPE)$/)
    clearInterval(write)
    socket.resume()
    await closed
    // A connection that was closed and not reset would still deliver what the kernel had, some megabytes.
    expect(socket.bytesRead).toBeLessThan(1_000_000)
  })

  it('stays while its client reads slowly', async ({ expect }) => {
    // Node sees progress when a third of the socket's buffer is free again, some megabytes: not every few milliseconds.
    const stalledMs = 2_000
    const body = Buffer.alloc(60_000_000, 'x')
    const port = await start((_request, response) => response.end(body), { ...QUICK, stalledMs })
    const { socket, closed } = await client(port)
    // Slow for longer than a stalled one may be, and then what is left at once.
    const slowUntil = performance.now() + 2.5 * stalledMs
    let read = 0
    const whole = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        read += chunk.length
        if (read > body.length) resolve()
        if (performance.now() > slowUntil) return
        socket.pause()
        setTimeout(() => socket.resume(), 5)
      })
    })
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await Promise.race([whole, closed])
    expect(read).toBeGreaterThan(body.length)
  })

  it('stays while the client waits for the gateway, longer than a stalled one may', async ({ expect }) => {
    const port = await start((_request, response) =>
      setTimeout(() => response.end('late'), 3 * QUICK.stalledMs),
    )
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect(await response.text()).toBe('late')
  })
})

it.concurrent('refuses connections beyond the limit, and serves those within it', async ({ expect }) => {
  const port = await start((_request, response) => response.end('ok'), {
    ...QUICK,
    headersMs: 5_000,
    requestMs: 5_000,
    maxConnections: 2,
  })
  const [first, second] = [await client(port), await client(port)]
  const third = await client(port)
  third.socket.resume()
  await third.closed
  for (const { socket } of [first, second]) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [text] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))
    expect(text?.toString()).toContain('200 OK')
  }
})

const OPEN = { ...QUICK, headersMs: 5_000, requestMs: 5_000, maxPerAddress: 2 }

it.concurrent('resets connections of an address beyond its limit until one of them ends', async ({
  expect,
}) => {
  const port = await start((_request, response) => response.end('ok'), OPEN)
  const [first] = [await client(port), await client(port)]
  const third = await client(port)
  third.socket.resume()
  await third.closed
  first.socket.destroy()
  const ask = async () => {
    const { socket, closed } = await client(port)
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return Promise.race([answer, closed.then(() => 'closed')])
  }
  await expect.poll(ask, { timeout: 5_000 }).toContain('200 OK')
})

it.concurrent('counts no connections by address behind a proxy, which opens those of all clients', async ({
  expect,
}) => {
  const port = await start((_request, response) => response.end('ok'), OPEN, true)
  const clients = [await client(port), await client(port), await client(port)]
  for (const { socket } of clients) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [text] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))
    expect(text?.toString()).toContain('200 OK')
  }
})
