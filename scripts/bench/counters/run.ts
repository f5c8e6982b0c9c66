// Measures charges of quotas in Redis: on one server and on a cluster of three masters, in rounds that alternate. Each arm has
// its own servers and node processes. A checkout is another compiled tree of the gateway, on one server.
// npm run -s bench -- counters [--processes 2] [--accounts 1000] [--concurrency 256] [--rounds 7] [--seconds 2] [--checkout before=PATH]...
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { startRedis } from '../compare/redis.js'
import { fixed, quantile, tableText } from '../shared/figures.js'
import { type ServerProcess, startServer } from '../shared/server-process.js'
import type { NodeOrder, NodeRound } from './node.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const MASTERS = 3

interface NodeProcess {
  run(seconds: number): Promise<NodeRound>
  stop(): Promise<void>
}

async function startNode(order: NodeOrder): Promise<NodeProcess> {
  const script = resolve(import.meta.dirname, 'node.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async (): Promise<string> => {
    const next = await lines.next()
    if (next.done === true) throw new Error('a node ended')
    return next.value
  }
  await line()
  return {
    run: async (seconds) => {
      child.stdin.write(`${seconds}\n`)
      return JSON.parse(await line()) as NodeRound // printed by node.ts
    },
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

interface Store {
  readonly url: string
  readonly ports: readonly number[]
  stop(): Promise<void>
}

async function startOneServer(): Promise<Store> {
  const redis = await startRedis(null)
  return { url: redis.url, ports: [redis.port], stop: () => redis.stop() }
}

async function startCluster(): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'mdg-bench-cluster-'))
  const servers: ServerProcess[] = []
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(directory, { recursive: true, force: true })
  }
  for (let index = 0; index < MASTERS; index++) {
    const busPort = (port: number) => (port > 55_000 ? port - 10_000 : port + 10_000)
    const settings = ['--cluster-enabled', 'yes', '--save', '', '--appendonly', 'no', '--dir', directory]
    const command = (port: number) =>
      [
        ...['redis-server', '--port', `${port}`, '--cluster-port', `${busPort(port)}`, ...settings],
        ...['--cluster-config-file', `${port}.conf`],
      ] as const
    servers.push(
      await startServer({
        command: (port) => ['redis-server', ...command(port).slice(1)],
        env: {},
        core: null,
      }),
    )
  }
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
  execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'])
  return { url: `redis+cluster://${addresses.join(',')}`, ports: servers.map(({ port }) => port), stop }
}

/** CPU seconds that the servers have used. */
async function cpuSecondsOf(ports: readonly number[]): Promise<number> {
  let seconds = 0
  for (const port of ports) {
    const redis = new Redis(port)
    const info = await redis.info('cpu')
    for (const [, figure] of info.matchAll(/^used_cpu_(?:sys|user):(\S+)/gm)) seconds += Number(figure)
    redis.disconnect()
  }
  return seconds
}

interface Arm {
  readonly name: string
  readonly store: Store
  readonly nodes: readonly NodeProcess[]
  readonly perSecond: number[]
  /** CPU microseconds per call. */
  readonly nodeMicros: number[]
  readonly redisMicros: number[]
}

async function measure(arm: Arm, seconds: number): Promise<void> {
  const before = await cpuSecondsOf(arm.store.ports)
  const rounds = await Promise.all(arm.nodes.map((node) => node.run(seconds)))
  const redisSeconds = (await cpuSecondsOf(arm.store.ports)) - before
  const sum = (figure: (round: NodeRound) => number) =>
    rounds.reduce((total, round) => total + figure(round), 0)
  const calls = sum((round) => round.calls)
  arm.perSecond.push(sum((round) => round.calls / round.seconds))
  arm.nodeMicros.push((1e6 * sum((round) => round.cpuSeconds)) / calls)
  arm.redisMicros.push((1e6 * redisSeconds) / calls)
}

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '2' },
    accounts: { type: 'string', default: '1000' },
    concurrency: { type: 'string', default: '256' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    checkout: { type: 'string', multiple: true, default: [] },
  },
})

async function startArm(name: string, checkout: string, store: Store): Promise<Arm> {
  const order = { checkout, redisUrl: store.url, accounts: Number(values.accounts) }
  const concurrency = Number(values.concurrency)
  const start = () => startNode({ ...order, concurrency })
  const nodes = await Promise.all(Array.from({ length: Number(values.processes) }, start))
  return { name, store, nodes, perSecond: [], nodeMicros: [], redisMicros: [] }
}

const arms: Arm[] = [await startArm('one server', ROOT, await startOneServer())]
for (const named of values.checkout) {
  const [name = '', path = ''] = named.split('=')
  arms.push(await startArm(`one server, ${name}`, resolve(path), await startOneServer()))
}
arms.push(await startArm('cluster of three', ROOT, await startCluster()))
try {
  for (const arm of arms) await measure(arm, 1)
  for (const arm of arms)
    for (const figures of [arm.perSecond, arm.nodeMicros, arm.redisMicros]) figures.length = 0
  for (let round = 0; round < Number(values.rounds); round++)
    for (const arm of round % 2 === 0 ? arms : [...arms].reverse()) await measure(arm, Number(values.seconds))
} finally {
  for (const { nodes, store } of arms) {
    await Promise.all(nodes.map((node) => node.stop()))
    await store.stop()
  }
}
const middle = (figures: readonly number[]) => quantile(figures, 0.5)
const [first] = arms
const rows = arms.map((arm) => [
  arm.name,
  fixed(middle(arm.perSecond)),
  fixed(middle(arm.nodeMicros), 1),
  fixed(middle(arm.redisMicros), 1),
  fixed(middle(arm.perSecond) / middle(first?.perSecond ?? []), 2),
  fixed(middle(arm.nodeMicros) / middle(first?.nodeMicros ?? []), 2),
  fixed(middle(arm.redisMicros) / middle(first?.redisMicros ?? []), 2),
])
const heads = ['calls/s', 'node µs', 'Redis µs', 'calls', 'node', 'Redis']
process.stdout.write(tableText('charges of two counters; CPU per call; ratios to the first row', heads, rows))
