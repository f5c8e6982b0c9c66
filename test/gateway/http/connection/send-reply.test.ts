import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { sendReply } from '../../../../src/gateway/http/connection/send-reply.js'
import { UnsentBytes } from '../../../../src/gateway/http/connection/unsent-bytes.js'
import { listen } from '../../../support/peers/sockets.js'

const CHUNK = Buffer.alloc(256 * 1024)

it('closes the connection of a client that reads nothing of a stream for too long', async () => {
  let ended = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield CHUNK
    } finally {
      ended += 1
    }
  }
  const unsent = new UnsentBytes()
  const server = await listen((_request, response) => {
    const reply = { status: 200, headers: [], body: endless() }
    void sendReply(response, reply, { clientAddress: 'a', unsent, isHead: false, stalledMs: 200 })
  })
  const { port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let isClosed = false
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  try {
    socket.pause()
    socket.write(`GET / HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    await expect.poll(() => ended, { timeout: 10_000 }).toBe(1)
    expect(unsent.bytes).toBe(0)
    socket.resume()
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true)
  } finally {
    socket.destroy()
    await server.close()
  }
})
