import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../database/postgres-cluster.js'
import { answers, newRedisServer, type RedisServer } from './redis-server.js'

const run = promisify(execFile)

/** A server of a cluster. */
export interface ClusterServer extends RedisServer {
  /** Where it listens encrypted, if it does. */
  readonly tlsPort: number
}

/** A Redis Cluster of a test's own: three masters with a replica each, with all that they keep in a temporary directory. */
export interface LocalRedisCluster {
  /** Names three of the servers. */
  readonly url: string
  readonly servers: readonly ClusterServer[]
  /** Asks the server that has the slot of the first key. */
  ask(...command: readonly (string | number)[]): Promise<string>
  masterOf(key: string): Promise<ClusterServer>
  /** A replica that follows this master. */
  replicaOf(master: ClusterServer): Promise<ClusterServer>
  /** A master that does not have the slot of the key. */
  otherMaster(key: string): Promise<ClusterServer>
  slotOf(key: string): Promise<number>
  idOf(server: ClusterServer): Promise<string>
  /** Until every running server sees all slots served. */
  isWhole(): Promise<void>
  /** Runs `redis-cli --cluster` with these arguments. */
  manage(...args: readonly string[]): Promise<string>
  close(): Promise<void>
}

/** How long a master may be silent before its replica takes over, ms. */
const NODE_TIMEOUT_MS = 1_500
const SERVERS = 6
const WHOLE_MS = 60_000
const ASK_MS = 10_000

/** What the servers require of clients. Null: no password and no encryption. */
export interface ClusterSecrets {
  readonly password: string
  /** Files of the certificate of the servers. They listen encrypted too, on further ports. */
  readonly certificate: string
  readonly key: string
}

export async function startRedisCluster(secrets: ClusterSecrets | null = null): Promise<LocalRedisCluster> {
  const login = secrets === null ? [] : ['--no-auth-warning', '-a', secrets.password]
  const directory = mkdtempSync(join(tmpdir(), 'gateway-redis-cluster-'))
  const servers: ClusterServer[] = []
  for (let index = 0; index < SERVERS; index++) servers.push(await newServer(directory, secrets, login))
  const close = async () => {
    await Promise.all(servers.map((server) => server.kill()))
    rmSync(directory, { recursive: true, force: true })
  }
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  const manage = async (...args: readonly string[]) =>
    (await run('redis-cli', [...login, '--cluster', ...args], { timeout: WHOLE_MS })).stdout
  // Servers that are encrypted among themselves know each other by those ports.
  const known =
    secrets === null
      ? addresses
      : [...servers.map(({ tlsPort }) => `127.0.0.1:${tlsPort}`), '--tls', '--cacert', secrets.certificate]
  const byPort = (port: string | undefined): ClusterServer => {
    const found = servers.find((server) => String(server.port) === port)
    if (found === undefined) throw new Error(`no server has port ${port}`)
    return found
  }
  const running = async () => {
    for (const server of servers) if (await answers(server)) return server
    throw new Error('no server of the cluster runs')
  }
  /** Lines of CLUSTER NODES: id, address, flags, master, ping, pong, epoch, link, slots. */
  const table = async () => (await (await running()).ask('cluster', 'nodes')).trim().split('\n')
  const portOf = (line: string) => /:(\d+)@/.exec(line)?.[1]
  const slotOf = async (key: string) => Number(await (await running()).ask('cluster', 'keyslot', key))
  const masters = async () =>
    (await table()).filter((line) => /\bmaster\b/.test(line) && !/\bfail\b/.test(line))
  const hasSlot = (line: string, slot: number) =>
    line
      .split(' ')
      .slice(8)
      .some((range) => {
        const [from, to = from] = range.split('-').map(Number)
        return from !== undefined && slot >= from && slot <= (to ?? from)
      })
  const cluster: LocalRedisCluster = {
    url: `redis+cluster://${secrets === null ? '' : `:${secrets.password}@`}${addresses.slice(0, 3).join(',')}`,
    servers,
    manage,
    slotOf,
    ask: async (...command) => {
      const { stdout } = await run(
        'redis-cli',
        [...login, '-c', '-p', String((await running()).port), ...command.map(String)],
        { timeout: ASK_MS },
      )
      return stdout.trim()
    },
    masterOf: async (key) => {
      const slot = await slotOf(key)
      return byPort(portOf((await masters()).find((line) => hasSlot(line, slot)) ?? ''))
    },
    otherMaster: async (key) => {
      const slot = await slotOf(key)
      return byPort(portOf((await masters()).find((line) => !hasSlot(line, slot)) ?? ''))
    },
    replicaOf: async (master) => {
      const id = await cluster.idOf(master)
      const lines = (await table()).filter((line) => line.split(' ')[3] === id)
      return byPort(portOf(lines.find((line) => !/\bfail\b/.test(line)) ?? ''))
    },
    idOf: async ({ port }) => {
      const line = (await table()).find((one) => portOf(one) === String(port))
      return line?.split(' ')[0] ?? ''
    },
    isWhole: async () => {
      for (const deadline = Date.now() + WHOLE_MS; Date.now() < deadline; await sleep(50)) {
        const states = await Promise.all(servers.map(stateOf))
        if (states.every((state) => state !== 'broken')) return
      }
      throw new Error(`the cluster is not whole: ${(await table()).join('\n')}`)
    },
    close,
  }
  try {
    await Promise.all(servers.map((server) => server.start()))
    await manage('create', ...known, '--cluster-replicas', '1', '--cluster-yes')
    await cluster.isWhole()
    return cluster
  } catch (error) {
    await close()
    throw error
  }
}

/** A replica is whole when it follows its master. */
async function stateOf(server: ClusterServer): Promise<'whole' | 'broken' | 'not running'> {
  if (!(await answers(server))) return 'not running'
  const info = await server.ask('cluster', 'info')
  const replication = await server.ask('info', 'replication')
  const follows = replication.includes('role:master') || replication.includes('master_link_status:up')
  return info.includes('cluster_state:ok') && follows ? 'whole' : 'broken'
}

async function newServer(
  directory: string,
  secrets: ClusterSecrets | null,
  login: readonly string[],
): Promise<ClusterServer> {
  const [port, busPort, tlsPort] = [await freePort(), await freePort(), await freePort()]
  const data = join(directory, String(port))
  mkdirSync(data)
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    'cluster-port': busPort,
    ...(secrets !== null && secretSettings(secrets, tlsPort)),
  }
  return { ...newRedisServer({ port, directory: data, settings, login }), tlsPort }
}

function secretSettings({ password, certificate, key }: ClusterSecrets, tlsPort: number) {
  return {
    requirepass: password,
    masterauth: password,
    'tls-port': tlsPort,
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': certificate,
    'tls-auth-clients': 'no',
    'tls-cluster': 'yes',
    'tls-replication': 'yes',
  }
}
