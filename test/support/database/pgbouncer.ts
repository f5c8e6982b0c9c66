import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, mayServe, serverDirectory, serverUser } from './postgres-cluster.js'

/** PgBouncer in transaction mode in front of a PostgreSQL server. */
export interface Bouncer {
  /** The server's URL with PgBouncer as its host. */
  readonly url: string
  close(): Promise<void>
}

/** Fewer than clients have, so that transactions of one client go to several connections, and those of several to one. */
const SERVER_CONNECTIONS = 3

const PLACES = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer']

/** Null: a test that needs it is skipped. */
export function pgbouncerBinary(): string | null {
  return mayServe() ? (PLACES.find((place) => existsSync(place)) ?? null) : null
}

export async function startBouncer(serverUrl: string): Promise<Bouncer> {
  const binary = pgbouncerBinary()
  if (binary === null) throw new Error('there is no PgBouncer here: ask pgbouncerBinary() first')
  const through = new URL(serverUrl)
  const directory = serverDirectory()
  const port = await freePort()
  const file = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    const { uid, gid } = serverUser()
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
    return path
  }
  const users = file('users.txt', `"${through.username || 'postgres'}" ""\n`)
  const config = file('pgbouncer.ini', configOf(through, port, users))
  const child = spawn(binary, [config], {
    ...serverUser(),
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await isListening(child.stderr, once(child, 'exit'))
  through.host = `127.0.0.1:${port}`
  return {
    url: through.href,
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGQUIT') // at once, whatever is connected
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function configOf({ hostname, port, pathname }: URL, listenPort: number, users: string): string {
  return `
[databases]
${pathname.slice(1)} = host=${hostname} port=${port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
`
}

async function isListening(log: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<void> {
  let text = ''
  const isUp = new Promise<void>((resolve) => {
    log.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000)
      if (text.includes('process up')) resolve()
    })
  })
  const isOver = ended.then(() => Promise.reject(new Error(`PgBouncer ended: ${text}`)))
  isOver.catch(() => {}) // it ends some time
  await Promise.race([isUp, isOver])
}
