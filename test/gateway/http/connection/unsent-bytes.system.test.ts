import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MAX_UNSENT_PER_ADDRESS } from '../../../../src/gateway/http/connection/unsent-bytes.js'
import { eventually } from '../../../support/eventually.js'
import { startChild } from '../../../support/processes/child.js'

const MIB = 2 ** 20
const BODY = 16 * MIB

it('keeps the memory of a process bounded under clients that read nothing, and answers others', async () => {
  const child = await startChild(join(import.meta.dirname, 'children/serve-large.ts'), [String(BODY)])
  const port = Number(await child.line())
  const memory = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/memory`)
    return (await response.json()) as { buffers: number; cuts: number }
  }
  const before = await memory()
  const sockets: Socket[] = []
  for (let count = 0; count < 60; count++) {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {}) // it was cut
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2))
    sockets.push(socket)
  }
  // 960 MiB wait at once without a bound.
  await eventually(async () => expect((await memory()).cuts).toBeGreaterThan(50))
  // A connection that was just cut holds its bodies until the event loop has closed it. The clients still read nothing, so
  // without a bound the bytes would stay.
  await eventually(async () =>
    expect((await memory()).buffers - before.buffers).toBeLessThan(MAX_UNSENT_PER_ADDRESS + 2 * BODY),
  )
  for (const socket of sockets) socket.destroy()
  await child.kill('SIGKILL')
}, 120_000)
