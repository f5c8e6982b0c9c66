import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startServer } from '../shared/server-process.js'

const ROOT = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const USER = 'postgres'
const SETTINGS = [
  'fsync=off',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'wal_keep_size=512MB',
]

/** A primary and its streaming replica, in a temporary directory. */
export interface Cluster {
  readonly primaryUrl: string
  readonly replicaUrl: string
  stop(): Promise<void>
}

export async function startCluster(): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  if (isRoot()) {
    const { uid, gid } = statSync('/var/lib/postgresql')
    chownSync(directory, uid, gid)
  }
  const servers: ServerProcess[] = []
  const stop = async () => {
    for (const server of servers.reverse()) await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const [primary, replica] = [join(directory, 'primary'), join(directory, 'replica')]
    run('initdb', '-D', primary, '-U', USER, '-A', 'trust', '-E', 'UTF8', '-N')
    const primaryUrl = urlOf(await start(primary, servers))
    run('pg_basebackup', '-D', replica, '-d', primaryUrl, '-R', '-X', 'stream', '-c', 'fast', '-N')
    return { primaryUrl, replicaUrl: urlOf(await start(replica, servers)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(data: string, servers: ServerProcess[]): Promise<number> {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting])
  const server = await startServer({
    command: (port) => asUser(program('postgres'), '-D', data, ...settings, '-c', `port=${port}`),
    env: { LC_ALL: 'C' },
    core: null,
  })
  servers.push(server)
  return server.port
}

function run(name: string, ...args: readonly string[]): void {
  const [command, ...all] = asUser(program(name), ...args)
  execFileSync(command, all, { cwd: tmpdir(), env: { ...process.env, LC_ALL: 'C' }, stdio: 'ignore' })
}

function asUser(command: string, ...args: readonly string[]): readonly [string, ...string[]] {
  if (!isRoot()) return [command, ...args]
  return ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', command, ...args]
}

function program(name: string): string {
  const [newest] = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a))
  if (newest === undefined) throw new Error(`${ROOT} has no PostgreSQL`)
  return join(ROOT, newest, 'bin', name)
}

const isRoot = () => userInfo().uid === 0
const urlOf = (port: number) => `postgresql://${USER}@127.0.0.1:${port}/postgres`
