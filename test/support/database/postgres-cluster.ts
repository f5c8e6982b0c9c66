import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A PostgreSQL server of a test's own, with all that it keeps in a temporary directory. */
export interface Cluster {
  readonly url: string
  start(): Promise<void>
  /** As when its machine loses power. */
  kill(): Promise<void>
  /** Stops all its processes in their tracks, connections open; and lets them go on. */
  freeze(): void
  thaw(): void
  /** Another server that follows this one. */
  newReplica(): Promise<Cluster>
  /** Throws its data away and makes it a replica of that server. */
  rebuildFrom(primary: Cluster): Promise<void>
  remove(): Promise<void>
}

const run = promisify(execFile)

const FAST = [
  'fsync=off',
  'full_page_writes=off',
  'shared_buffers=16MB',
  'autovacuum=off',
  'wal_keep_size=512MB',
]
const ALONE = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=60']

/** Where initdb, postgres and pg_basebackup are, if servers can run here; null: a test that needs them is skipped. */
export function clusterBinaries(): string | null {
  if (process.platform !== 'linux' || !mayServe()) return null
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(root, version, 'bin')), ...pathFolders()]
  const needed = ['initdb', 'postgres', 'pg_basebackup']
  return folders.find((folder) => needed.every((name) => existsSync(join(folder, name)))) ?? null
}

function pathFolders(): readonly string[] {
  return (process.env.PATH ?? '').split(':')
}

/** Of the user that the packages of PostgreSQL and PgBouncer make. */
const HOME = '/var/lib/postgresql'

/** PostgreSQL and PgBouncer refuse to run as root: then they run as the user that their packages made. */
export function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {}
  const { uid, gid } = statSync(HOME)
  return { uid, gid }
}

/** Whether there is a user that servers can run as. */
export function mayServe(): boolean {
  return userInfo().uid !== 0 || existsSync(HOME)
}

/** A directory that the user of the servers owns. */
export function serverDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-server-'))
  const { uid, gid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid)
  return directory
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  server.close()
  await once(server, 'close')
  return port
}

/** Lets the superuser in without a password, and nobody else. */
const ASKS_FOR_PASSWORDS = `host all,replication postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
`

/** A new primary, started. */
export async function startPrimary({ asksForPasswords = false } = {}): Promise<Cluster> {
  const cluster = await clusterOn(serverDirectory())
  await command('initdb', ['-D', cluster.data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N'])
  if (asksForPasswords) writeFileSync(join(cluster.data, 'pg_hba.conf'), ASKS_FOR_PASSWORDS)
  await cluster.start()
  return cluster
}

/** Runs a program of PostgreSQL to its end. */
async function command(name: string, args: readonly string[]): Promise<void> {
  await run(programOf(name), args, { ...serverUser(), cwd: tmpdir(), env: { LC_ALL: 'C' } })
}

function programOf(name: string): string {
  const folder = clusterBinaries()
  if (folder === null) throw new Error('there is no PostgreSQL here: ask clusterBinaries() first')
  return join(folder, name)
}

/** A backend may end by itself after it was listed. */
function signalIfAlive(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

interface OwnCluster extends Cluster {
  readonly data: string
  readonly port: number
}

async function clusterOn(directory: string): Promise<OwnCluster> {
  const data = join(directory, 'data')
  const port = await freePort()
  let server: ChildProcess | null = null
  const signal = (name: NodeJS.Signals) => {
    for (const pid of server?.pid === undefined ? [] : [server.pid, ...childrenOf(server.pid)])
      signalIfAlive(pid, name)
  }
  const copyFrom = (primary: Cluster) =>
    command('pg_basebackup', ['-D', data, '-d', primary.url, '-R', '-X', 'stream', '-c', 'fast', '-N'])
  const cluster: OwnCluster = {
    data,
    port,
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start: async () => {
      server = await startServer(data, port)
    },
    kill: async () => {
      if (server === null) return
      const ended = once(server, 'close') // not before its last process has ended
      signal('SIGKILL')
      await ended
      server = null
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    newReplica: async () => {
      const replica = await clusterOn(serverDirectory())
      await replica.rebuildFrom(cluster)
      return replica
    },
    rebuildFrom: async (primary) => {
      await cluster.kill()
      rmSync(data, { recursive: true, force: true })
      await copyFrom(primary)
      await cluster.start()
    },
    remove: async () => {
      await cluster.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return cluster
}

async function startServer(data: string, port: number): Promise<ChildProcess> {
  const settings = [...FAST, ...ALONE, `port=${port}`].flatMap((setting) => ['-c', setting])
  const server = spawn(programOf('postgres'), ['-D', data, ...settings], {
    ...serverUser(),
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { LC_ALL: 'C' },
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
      // A replica says "read-only connections"; one that is promoted later says the other.
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
    server.once('close', () => reject(new Error(`PostgreSQL ended: ${log}`)))
  })
  return server
}

/** Each process of the server is in a session of its own, so there is no group to signal. */
function childrenOf(pid: number): readonly number[] {
  const children = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(children)) throw new Error('the processes of a server are found in /proc')
  return readFileSync(children, 'utf8').split(' ').filter(Boolean).map(Number)
}
