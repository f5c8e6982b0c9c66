import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { heldClients } from '../../../scripts/bench/overload/held-sockets.js'
import { eventually } from '../../support/eventually.js'

/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(32 * 2 ** 20)

describe.runIf(process.platform === 'linux')('clients whose connections a server holds', () => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  it('are counted even if they read nothing', async () => {
    const accepted: Socket[] = []
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write(LARGE)
      accepted.push(socket)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a TCP port
    const clients = [1, 2].map(() => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.pause()
      return socket
    })
    closing.push(() => {
      for (const socket of [...clients, ...accepted]) socket.destroy()
      server.close()
    })
    await Promise.all(clients.map((socket) => once(socket, 'connect')))
    await eventually(() => expect(accepted).toHaveLength(clients.length))
    const ports = clients.map(({ localPort }) => localPort ?? 0)
    expect(heldClients(port)).toEqual(new Set(ports))

    const [first] = accepted
    const endedPort = first?.remotePort
    first?.destroy()
    await eventually(() => expect(heldClients(port).size).toBe(1))
    expect(heldClients(port)).toEqual(new Set(ports.filter((one) => one !== endedPort)))
  })
})
