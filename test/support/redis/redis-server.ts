import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../database/postgres-cluster.js'

const run = promisify(execFile)

const ASK_MS = 10_000

/** A Redis server that a test starts, kills and freezes. It keeps nothing on disk, so it is empty after each start. */
export interface RedisServer {
  readonly port: number
  /** Runs a command on this server and returns its answer as text. */
  ask(...command: readonly (string | number)[]): Promise<string>
  start(): Promise<void>
  /** As when its machine loses power. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
}

/** Whether redis-server and redis-cli are installed. */
export function mayStartRedis(): boolean {
  const folders = (process.env.PATH ?? '').split(':')
  return ['redis-server', 'redis-cli'].every((name) =>
    folders.some((folder) => existsSync(join(folder, name))),
  )
}

export interface RedisServerOptions {
  readonly port: number
  /** Its working directory. */
  readonly directory: string
  /** Besides the usual ones. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** How redis-cli logs in. */
  readonly login?: readonly string[]
}

/** A server that is not started yet. */
export function newRedisServer({
  port,
  directory,
  settings = {},
  login = [],
}: RedisServerOptions): RedisServer {
  let server: ChildProcess | null = null
  const ask: RedisServer['ask'] = async (...command) => {
    const args = [...login, '-p', String(port), ...command.map(String)]
    return (await run('redis-cli', args, { timeout: ASK_MS })).stdout.trim()
  }
  const own: RedisServer = {
    port,
    ask,
    start: async () => {
      const all = { port, bind: '127.0.0.1', appendonly: 'no', save: '', dir: directory, ...settings }
      const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)])
      server = spawn('redis-server', args, { stdio: 'ignore' })
      for (const deadline = Date.now() + ASK_MS; !(await answers(own)); await sleep(20))
        if (Date.now() > deadline) throw new Error(`redis-server does not answer at port ${port}`)
    },
    kill: async () => {
      if (server === null) return
      const ended = once(server, 'close')
      server.kill('SIGKILL')
      await ended
      server = null
    },
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
  }
  return own
}

export async function answers(server: RedisServer): Promise<boolean> {
  return (await server.ask('ping').catch(() => '')) === 'PONG'
}

export interface SingleRedis extends RedisServer {
  readonly url: string
  close(): Promise<void>
}

/** A single server of a test's own. */
export async function startSingleRedis(): Promise<SingleRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-redis-'))
  const server = newRedisServer({ port: await freePort(), directory })
  await server.start()
  return {
    ...server,
    url: `redis://127.0.0.1:${server.port}`,
    close: async () => {
      await server.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
