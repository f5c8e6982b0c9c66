// Measures deliveries of webhooks per second by several processes on one PostgreSQL, to one receiver on this machine, in rounds
// that alternate.
// npm run -s bench:webhooks -- [--processes 1,2,4] [--receiver-ms 0] [--concurrency 64] [--accounts 64] [--hosts 32]
//   [--changes 100] [--rounds 5]
// BENCH_DATABASE_URL is the server. The database is dropped at the end.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { WEBHOOK_SHARDS } from '../../../src/domains/webhooks/conditions.js'
import { fixed, quantile, tableText } from '../shared/figures.js'
import { DEFAULT_SERVER } from '../shared/options.js'
import type { NodeOrder } from './node.js'
import { openWebhookWorld, type WebhookWorld } from './world.js'

/** A round that takes longer has failed. */
const ROUND_MS = 300_000

interface Process {
  readonly line: () => Promise<string>
  readonly cpuSeconds: () => Promise<number>
  readonly stop: () => Promise<void>
}

function start(script: string, argument: string): Process {
  const file = resolve(import.meta.dirname, script)
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, ['--import', 'tsx', file, argument])
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => {
    const next = await lines.next()
    if (next.done === true) throw new Error(`${script} ended`)
    return next.value
  }
  return {
    line,
    cpuSeconds: async () => {
      child.stdin.write('\n')
      return Number(await line())
    },
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

/** The share of the machine's CPU time that was used since the start of the function that it answers. */
function machineUse(): () => number {
  const read = () =>
    cpus().reduce(
      (sum, { times }) => {
        const all = times.user + times.nice + times.sys + times.irq + times.idle
        return { all: sum.all + all, idle: sum.idle + times.idle }
      },
      { all: 0, idle: 0 },
    )
  const before = read()
  return () => {
    const after = read()
    return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all)
  }
}

interface Round {
  readonly perSecond: number
  /** CPU microseconds of the nodes, and of the receiver, per event. */
  readonly nodeMicros: number
  readonly receiverMicros: number
  readonly machine: number
}

interface Settings {
  readonly accounts: number
  readonly changes: number
  readonly order: NodeOrder
}

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + ROUND_MS
  while (!(await isDone())) {
    if (performance.now() > endsAt) throw new Error('a round did not end')
    await sleep(20)
  }
}

async function runRound(
  world: WebhookWorld,
  receiver: Process,
  count: number,
  { accounts, changes, order }: Settings,
): Promise<Round> {
  const nodes = Array.from({ length: count }, () => start('node.ts', JSON.stringify(order)))
  try {
    await waitFor(async () => {
      const { nodes: sharing, least } = await world.shares()
      return sharing === count && least === Math.floor(WEBHOOK_SHARDS / count)
    })
    const cpuOf = async () =>
      (await Promise.all(nodes.map((node) => node.cpuSeconds()))).reduce((sum, seconds) => sum + seconds, 0)
    const before = [await cpuOf(), await receiver.cpuSeconds()] as const
    const machine = machineUse()
    const startedAt = performance.now()
    await world.addChanges(changes)
    const events = accounts * changes
    await waitFor(async () => (await world.delivered()) >= events)
    const seconds = (performance.now() - startedAt) / 1_000
    const used = machine()
    return {
      perSecond: events / seconds,
      nodeMicros: (1e6 * ((await cpuOf()) - before[0])) / events,
      receiverMicros: (1e6 * ((await receiver.cpuSeconds()) - before[1])) / events,
      machine: used,
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
}

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2,4' },
    'receiver-ms': { type: 'string', default: '0' },
    concurrency: { type: 'string', default: '64' },
    accounts: { type: 'string', default: '64' },
    hosts: { type: 'string', default: '32' },
    changes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})
const counts = values.processes.split(',').map(Number)
const hosts = Array.from({ length: Number(values.hosts) }, (_, index) => `receiver-${index}.example`)
const accounts = Number(values.accounts)
const server = process.env.BENCH_DATABASE_URL ?? DEFAULT_SERVER
const world = await openWebhookWorld(server, accounts, hosts)
const receiver = start('receiver.ts', values['receiver-ms'])
try {
  const port = Number(await receiver.line())
  const order = { url: world.url, hosts, concurrency: Number(values.concurrency) }
  const settings = { accounts, changes: Number(values.changes), order }
  const rounds = new Map<number, Round[]>(counts.map((count) => [count, []]))
  for (let round = 0; round < Number(values.rounds); round++)
    for (const count of counts) {
      await world.aim(port)
      rounds.get(count)?.push(await runRound(world, receiver, count, settings))
    }
  const median = (count: number, figure: (round: Round) => number) =>
    quantile((rounds.get(count) ?? []).map(figure), 0.5)
  const base = median(counts[0] ?? 1, ({ perSecond }) => perSecond)
  const title = `Events per second, ${accounts} accounts on ${hosts.length} hosts, receiver of ${values['receiver-ms']} ms, ${values.concurrency} attempts at once in a process`
  process.stdout.write(
    tableText(
      title,
      ['events/s', 'ratio', 'CPU µs of nodes', 'CPU µs of receiver', 'machine busy %'],
      counts.map((count) => [
        `${count} processes`,
        fixed(median(count, ({ perSecond }) => perSecond)),
        fixed(median(count, ({ perSecond }) => perSecond) / base, 2),
        fixed(median(count, ({ nodeMicros }) => nodeMicros)),
        fixed(median(count, ({ receiverMicros }) => receiverMicros)),
        fixed(100 * median(count, ({ machine }) => machine)),
      ]),
    ),
  )
} finally {
  await receiver.stop()
  await world.close()
}
