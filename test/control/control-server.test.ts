import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callGateway, connectGateway } from '../../src/control/call-gateway.js'
import { type CommandCall, Interrupted, type RunCommand } from '../../src/control/command-call.js'
import { type Control, startControl } from '../../src/control/control-server.js'
import { toControlPath } from '../../src/control/protocol.js'
import { createLogger } from '../../src/platform/logger.js'

const REQUEST_MS = 100

describe('the control socket', () => {
  let dataDir: string
  let path: string
  let control: Control
  const idle: RunCommand = async () => 0

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'control-'))
    path = join(dataDir, 'control.sock')
  })
  afterEach(async () => {
    await control.stop()
    rmSync(dataDir, { recursive: true })
  })

  const start = async (admin: RunCommand) => {
    const commands = { ingest: idle, analyse: idle, key: idle, admin, verify: idle, release: idle }
    control = await startControl({ dataDir, commands, log: createLogger('silent'), requestMs: REQUEST_MS })
  }

  const open = async () => (await connectGateway(path)) ?? expect.fail('nobody listens')

  /** What a caller gets to see. */
  const call = async (args: readonly string[], signal = new AbortController().signal) => {
    const printed = { out: '', err: '' }
    const own: CommandCall = {
      args,
      directory: null,
      isTerminal: true,
      signal,
      out: (text) => {
        printed.out += text
      },
      err: (text) => {
        printed.err += text
      },
    }
    return { code: await callGateway(await open(), 'admin', own), ...printed }
  }

  /** All that comes back for bytes as they are, until the gateway closes the connection. */
  const answerTo = async (bytes: string) => {
    const socket = connect(path)
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.on('error', () => {}) // cut off while it still writes
    socket.write(bytes)
    await new Promise((resolve) => socket.on('close', resolve))
    return text
  }

  /** A command that runs until it is interrupted; answers why. */
  const untilInterrupted = () => {
    let begun: () => void
    let ended: (reason: unknown) => void
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const reason = new Promise<unknown>((resolve) => {
      ended = resolve
    })
    const run: RunCommand = async ({ signal }) => {
      begun()
      if (!signal.aborted) await once(signal, 'abort')
      ended(signal.reason)
      return 1
    }
    return { run, hasBegun, reason }
  }

  it('passes on arguments, both outputs and the exit code, however long the text', async () => {
    const long = '"é\n'.repeat(100_000)
    await start(async ({ args, directory, isTerminal, out, err }) => {
      out(long)
      err(JSON.stringify({ args, directory, isTerminal }))
      return 7
    })
    const { code, out, err } = await call(['users', 'list'])
    expect([code, out === long]).toEqual([7, true])
    expect(JSON.parse(err)).toEqual({ args: ['users', 'list'], directory: process.cwd(), isTerminal: true })
  })

  it('is accessible to its user only, replaces a stale one, and is removed when the gateway stops', async () => {
    writeFileSync(path, '')
    await start(idle)
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    await control.stop()
    expect(existsSync(path)).toBe(false)
    expect(await connectGateway(path)).toBeNull()
  })

  it('refuses connections after its gateway was killed', async () => {
    await start(idle)
    writeFileSync(join(dataDir, 'stale'), '')
    expect(await connectGateway(join(dataDir, 'stale'))).toBeNull()
  })

  it.each([
    ['no JSON', 'GET / HTTP/1.1\n', 'protocol error: a line is one JSON value'],
    [
      'another protocol',
      '{"protocol":2,"command":"key","args":[],"directory":"/","isTerminal":false}\n',
      "protocol error: protocol: must be 1: use the command of the gateway's own version",
    ],
    [
      'another command',
      '{"protocol":1,"command":"start","args":[],"directory":"/","isTerminal":false}\n',
      'protocol error: command: ',
    ],
    ['an endless line', 'x'.repeat(300_000), 'protocol error: a line has at most 262144 bytes'],
    ['silence', '', `no request within ${REQUEST_MS} ms`],
    ['half a line', '{"protocol":1,', `no request within ${REQUEST_MS} ms`],
  ])('refuses %s by name and closes the connection', async (_, bytes, reason) => {
    await start(idle)
    const answer = await answerTo(bytes)
    expect(answer).toContain(`{"refused":${JSON.stringify(reason).slice(0, -1)}`)
    expect(await call([])).toEqual({ code: 0, out: '', err: '' })
  })

  it('interrupts a command if the caller asks, and if the caller disconnects', async () => {
    const asked = untilInterrupted()
    await start(asked.run)
    const controller = new AbortController()
    const ended = call([], controller.signal)
    await asked.hasBegun
    controller.abort()
    expect(await asked.reason).toEqual(new Interrupted('interrupted'))
    expect((await ended).code).toBe(1)
    await control.stop()

    const left = untilInterrupted()
    await start(left.run)
    const socket = await sendRequest()
    await left.hasBegun
    socket.destroy()
    expect(await left.reason).toEqual(new Interrupted('the command that requested it has ended'))
  })

  const sendRequest = async (): Promise<Socket> => {
    const socket = await open()
    socket.on('error', () => {})
    socket.write('{"protocol":1,"command":"admin","args":[],"directory":"/","isTerminal":false}\n')
    return socket
  }

  it('runs four commands at once, and refuses the fifth with the reason', async () => {
    const begun: (() => void)[] = []
    await start(async ({ signal }) => {
      begun.splice(0).map((next) => next())
      if (!signal.aborted) await once(signal, 'abort')
      return 1
    })
    for (let number = 0; number < 4; number += 1) {
      const next = new Promise<void>((resolve) => begun.push(resolve))
      await sendRequest()
      await next
    }
    await expect(call([])).rejects.toThrow(
      'the running gateway refused: 4 commands are running already; try again when one has ended',
    )
  })

  it('cuts off a caller that does not read, and interrupts its command', async () => {
    const reason = new Promise<unknown>((resolve) => {
      void start(async ({ signal, out }) => {
        while (!signal.aborted) {
          out('x'.repeat(65_536))
          await new Promise(setImmediate)
        }
        resolve(signal.reason)
        return 1
      }).then(sendRequest)
    })
    expect(await reason).toEqual(new Interrupted('the command that requested it has ended'))
  })

  it('says that a command did not end if the gateway disappears', async () => {
    await start(async () => {
      await control.stop()
      return 0
    })
    await expect(call([])).rejects.toThrow('the gateway ended before the command did')
  }, 10_000)

  it('is not created if its path would be cut short', async () => {
    await start(idle)
    expect(toControlPath(`/${'d'.repeat(100)}`)).toBeNull()
    expect(toControlPath('/data')).toBe('/data/control.sock')
  })
})
