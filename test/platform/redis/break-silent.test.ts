import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { breakSilent } from '../../../src/platform/redis/break-silent.js'
import { connectRedis } from '../../../src/platform/redis/connect-redis.js'

describe('a server that accepts connections and never says anything', () => {
  const sockets: Socket[] = []
  let server: Server

  beforeAll(async () => {
    server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it.each([
    ['a connection', 'redis', 'no data in 1000 ms'],
    ['an encrypted connection, which cannot be opened', 'rediss', 'not connected in 1000 ms'],
    ['the connections of a cluster', 'redis+cluster', 'timeout'],
  ])(
    'loses %s each second, and the next one is opened',
    async (_, scheme, reason) => {
      const { port } = server.address() as AddressInfo // listens on a port, not on a pipe
      const reasons: string[] = []
      const before = sockets.length
      const connection = connectRedis(`${scheme}://127.0.0.1:${port}`, {
        keyPrefix: '',
        onReady: () => expect.fail('a server without a word is not ready'),
        onLost: ({ message }) => void reasons.push(message),
      })
      await expect
        .poll(() => reasons.filter((text) => text === reason).length, { timeout: 10_000 })
        .toBeGreaterThan(1)
      expect(sockets.length - before).toBeGreaterThan(1)
      await connection.close()
    },
    20_000,
  )
})

describe('a connection that is closed before it has a socket', () => {
  it('is not broken later, when its time to connect is over', async () => {
    const errors: Error[] = []
    const note = (error: Error) => void errors.push(error)
    process.on('uncaughtException', note)
    try {
      const redis = new Redis('redis://127.0.0.1:1', { lazyConnect: true, connectTimeout: 0 })
      breakSilent(redis)
      const connecting = redis.connect()
      redis.disconnect()
      await expect(connecting).rejects.toThrow('Connection is closed')
      await sleep(1_500)
      expect(errors).toEqual([])
    } finally {
      process.off('uncaughtException', note)
    }
  })
})
