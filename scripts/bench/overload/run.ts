// Measures a gateway that gets more requests than it can process, and requests of clients that are slow on purpose.
// It runs in production mode on a separate PostgreSQL database, on loopback only.
// 1. Hundreds of connections send new requests at once: how many are answered and how fast, how many are refused (503
//    with Retry-After; a refused client retries after a second), and how fast the health checks are.
// 2. Clients that request large responses and never read them, and clients that send headers or a body at a byte per
//    second: when the server closes their connections.
// npm run -s bench:overload -- [--gateway CHECKOUT] [--node PATH] [--connections 500] [--seconds 10]
//   [--clients 50] [--watch 60] [--json FILE]
// --gateway measures the compiled gateway of another checkout. --clients is the number of clients that never read; a fifth
// of that number sends slowly. --watch is how many seconds they are watched. BENCH_DATABASE_URL is the PostgreSQL server.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Cleanup } from '../shared/cleanup.js'
import { cpuMicroseconds } from '../shared/cpu.js'
import { fixed, MEBIBYTE, type Times, tableText } from '../shared/figures.js'
import { type Health, probeHealth } from '../shared/health-probe.js'
import { countOf } from '../shared/options.js'
import { MemorySampler, residentBytes } from '../shared/resident-memory.js'
import type { ServerProcess } from '../shared/server-process.js'
import { prepareTarget, TARGET_FLAGS, type Target } from '../shared/target.js'
import { coldPath } from './cold-paths.js'
import { type FloodResult, flood } from './flood.js'
import { type ConnectionEnds, watchSlowClients } from './slow-clients.js'
import { neverReads, slowBody, slowHeaders } from './slow-kinds.js'

/** The warm-up, after which code is compiled and connections are open. */
const WARM_UP = { connections: 20, seconds: 4 }

/** First number of the warm-up's requests, so that the measurement does not repeat them. */
const WARM_UP_FROM = 90_000

/** A fifth of the clients that never read send slowly in each way. */
const SLOW_SHARE = 0.2

interface Options {
  readonly connections: number
  readonly seconds: number
  readonly clients: number
  readonly watch: number
}

interface Load {
  readonly flooded: FloodResult
  readonly health: readonly Health[]
  readonly busyShare: number | null
  readonly peakBytes: number
}

interface Slow {
  readonly cuts: readonly ConnectionEnds[]
  readonly health: readonly Health[]
  readonly bytesBefore: number | null
  readonly peakBytes: number
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { ...TARGET_FLAGS, connections: text, seconds: text, clients: text, watch: text },
  })
  const options: Options = {
    connections: countOf('--connections', values.connections ?? '500'),
    seconds: countOf('--seconds', values.seconds ?? '10'),
    clients: countOf('--clients', values.clients ?? '50'),
    watch: countOf('--watch', values.watch ?? '60'),
  }
  const cleanup = new Cleanup()
  try {
    const target = await prepareTarget(values, cleanup)
    const load = await measureLoad(target, options)
    process.stdout.write(loadText(load, options))
    const slow = await measureSlow(target, options)
    process.stdout.write(slowText(slow, options))
    const report = { node: target.node.version, gateway: values.gateway ?? '.', options, load, slow }
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
  } finally {
    await cleanup.run()
  }
}

/** The start of the day before, so that all requested data exists. */
function beginOfToday(): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
}

async function measureLoad(target: Target, { connections, seconds }: Options): Promise<Load> {
  const server = await target.start({ TRUST_PROXY: 'true' }) // the load comes from one address
  try {
    const until = beginOfToday()
    const asked = { port: server.port, apiKey: target.gateway.world.apiKey }
    await flood({ ...asked, ...WARM_UP, pathOf: (number) => coldPath(WARM_UP_FROM + number, until) })
    const probe = await probeHealth(server.port)
    const memory = new MemorySampler(server.pid)
    const [cpuBefore, startedAt] = [cpuMicroseconds(server.pid), performance.now()]
    const flooded = await flood({
      ...asked,
      connections,
      seconds,
      pathOf: (number) => coldPath(number, until),
    })
    const [cpuAfter, endedAt] = [cpuMicroseconds(server.pid), performance.now()]
    const used = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore
    const busyShare = used === null ? null : used / ((endedAt - startedAt) * 1000)
    return { flooded, health: await probe.stop(), busyShare, peakBytes: memory.stop() }
  } finally {
    await server.stop()
  }
}

async function measureSlow(target: Target, { clients, watch }: Options): Promise<Slow> {
  const server = await target.start({ TRUST_PROXY: 'true' }) // the load comes from one address
  try {
    const { apiKey } = target.gateway.world
    await warmUp(server, apiKey)
    const slow = Math.max(1, Math.round(clients * SLOW_SHARE))
    const kinds = [neverReads(clients, largePath(), apiKey), slowHeaders(slow), slowBody(slow, apiKey)]
    const bytesBefore = residentBytes(server.pid)
    const probe = await probeHealth(server.port)
    const memory = new MemorySampler(server.pid)
    const cuts = await watchSlowClients(server.port, kinds, watch)
    return { cuts, health: await probe.stop(), bytesBefore, peakBytes: memory.stop() }
  } finally {
    await server.stop()
  }
}

/** Every hourly candle of four weeks. */
function largePath(): string {
  const to = beginOfToday()
  const from = new Date(to.getTime() - 28 * 86_400_000)
  return `/v1/assets/bitcoin/ohlcv?timeframe=1h&limit=1000&from=${from.toISOString()}&to=${to.toISOString()}`
}

async function warmUp({ port }: ServerProcess, apiKey: string): Promise<void> {
  const flooded = await flood({ port, apiKey, connections: 1, seconds: 1, pathOf: largePath })
  if (flooded.answered.count === 0) throw new Error(`no answer of 2xx: ${JSON.stringify(flooded.others)}`)
}

const TIMES = ['count', 'p50 ms', 'p99 ms', 'max ms']

function cellsOf({ count, p50, p99, max }: Times): readonly string[] {
  return [String(count), fixed(p50, 1), fixed(p99, 1), fixed(max, 1)]
}

function healthRows(health: readonly Health[]): readonly (readonly string[])[] {
  return health.map(({ path, times, failures }) => [
    path,
    ...cellsOf(times),
    Object.entries(failures)
      .map(([what, count]) => `${count} x ${what}`)
      .join(', '),
  ])
}

function loadText(
  { flooded, health, busyShare, peakBytes }: Load,
  { connections, seconds }: Options,
): string {
  const others = Object.entries(flooded.others).map(([outcome, count]) => [outcome, String(count)])
  const table = tableText(
    `${connections} connections, cold questions, ${seconds} s`,
    [...TIMES, ''],
    [
      ['answered (2xx)', ...cellsOf(flooded.answered), `${fixed(flooded.answeredPerSecond)} per second`],
      ['refused (503)', ...cellsOf(flooded.refused)],
      ...others,
      ...healthRows(health),
    ],
  )
  return `${table}  busy ${fixed(busyShare, 2)} of a core, RSS at most ${fixed(peakBytes / MEBIBYTE)} MiB\n`
}

function slowText({ cuts, health, bytesBefore, peakBytes }: Slow, { watch }: Options): string {
  const rows = cuts.map(({ name, clients, cut, first, median, last }) => [
    name,
    String(clients),
    String(cut),
    fixed(first, 1),
    fixed(median, 1),
    fixed(last, 1),
  ])
  const heads = ['clients', 'cut', 'first s', 'median s', 'last s']
  const before = bytesBefore === null ? null : bytesBefore / MEBIBYTE
  return [
    tableText(`slow clients, watched for ${watch} s`, heads, rows),
    tableText('health checks meanwhile', [...TIMES, ''], healthRows(health)),
    `  RSS ${fixed(before)} MiB before, at most ${fixed(peakBytes / MEBIBYTE)} MiB\n`,
  ].join('')
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
})
