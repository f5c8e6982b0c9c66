import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The process of a contender, which listens on its port. */
export interface ServerProcess {
  readonly port: number
  readonly pid: number
  /** How it ended; null while it runs. */
  ended(): string | null
  stop(): Promise<void>
}

/** Longest time until a process accepts connections, and until it ends after a signal. */
const START_MS = 30_000
const STOP_MS = 5_000

const POLL_MS = 50

/** Number of kept characters of a process's standard error. */
const KEPT_ERRORS = 4_000

/** The command and environment of a process. */
export interface Start {
  /** The command line for a free port. The port is also in the variable PORT. */
  readonly command: (port: number) => readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** Null for any core. */
  readonly core: number | null
}

/**
 * Starts a process without its output and waits until it accepts connections. If the process ends before, this throws with
 * its standard error.
 */
export async function startServer({ command, env, core }: Start): Promise<ServerProcess> {
  const port = await freePort()
  const [program, ...args] = core === null ? command(port) : pinned(core, command(port))
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  let hasFailed = false
  child.on('error', (error) => {
    errors = error.message
    hasFailed = true
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-KEPT_ERRORS)
  })
  const deadline = performance.now() + START_MS
  while (!(await accepts(port))) {
    if (hasFailed || hasEnded(child) || performance.now() > deadline) {
      if (!hasFailed) await stop(child)
      throw new Error(`${command(port).join(' ')} did not start:\n${errors}`)
    }
    await sleep(POLL_MS)
  }
  const { pid } = child
  if (pid === undefined) throw new Error(`${command(port).join(' ')} has no process`)
  return { port, pid, ended: () => endOf(child, errors), stop: () => stop(child) }
}

function endOf({ exitCode, signalCode }: ChildProcess, errors: string): string | null {
  const code = signalCode ?? exitCode
  return code === null ? null : `ended with ${code}${errors === '' ? '' : `: ${errors}`}`
}

function pinned(core: number, command: readonly string[]): readonly [string, ...string[]] {
  return ['taskset', '-c', String(core), ...command]
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

/** A port that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  server.close()
  await once(server, 'close')
  return port
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
