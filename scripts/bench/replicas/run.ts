// Measures which share of the reads comes from a streaming replica that replays each commit late. No cache can answer the
// questions. Each arm runs in its own process, on the same servers: this tree, and other compiled trees of the gateway.
// The arms take turns in rounds, each after a warm-up, so that neither their order nor another program on the machine decides.
// npm run -s bench -- replicas [--seconds 6] [--rounds 3] [--delays 50,200,2000] [--checkout before=PATH]... Needs PostgreSQL's programs in /usr/lib/postgresql.
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { fixed, quantile, tableText } from '../shared/figures.js'
import { freePort, startServer } from '../shared/server-process.js'
import { createWorld, SECRETS, type World } from '../world.js'
import { type Cluster, startCluster } from './cluster.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const DELAYS_MS = '50,200,2000'
/** About 7 commits per second. */
const COMMIT_EVERY_MS = 140
const CALLERS = 4
/** A process that has just started runs code that is not compiled yet. */
const WARM_MS = 2_000
/** A day of the seeded rates is read by each question. */
const FIRST_DAY = Date.UTC(2020, 0, 1)
const DAY_MS = 86_400_000

interface Arm {
  readonly name: string
  readonly script: string
}

interface Counts {
  readonly replica: number
  readonly primary: number
  readonly givenUp: number
}

let asked = 0

async function ask(url: string, apiKey: string): Promise<void> {
  asked += 1
  const from = new Date(FIRST_DAY - asked * DAY_MS).toISOString().slice(0, 10)
  const answer = await fetch(`${url}/v1/forex?quote=USD&from=${from}`, { headers: { 'x-api-key': apiKey } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}`)
}

async function countsAt(metricsUrl: string): Promise<Counts> {
  const text = await (await fetch(metricsUrl)).text()
  const of = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return {
    replica: of('gateway_data_reads_total{server="1"}'.replace(/[{}]/g, '\\$&')),
    primary: of('gateway_data_reads_total{server="primary"}'.replace(/[{}]/g, '\\$&')),
    givenUp: of('gateway_replica_given_up_total{replica="1"}'.replace(/[{}]/g, '\\$&')),
  }
}

async function measure(arm: Arm, cluster: Cluster, world: World, seconds: number) {
  const metricsPort = await freePort()
  const replicaUrl = new URL(cluster.replicaUrl)
  replicaUrl.pathname = new URL(world.databaseUrl).pathname
  const env = {
    ...SECRETS,
    ...{ NODE_ENV: 'production', SCHEDULE: 'off', BURST_PER_MINUTE: '1000000000' },
    ...{ METRICS_PORT: String(metricsPort), PUBLIC_URL: 'http://gateway.example' },
    ...{ DATABASE_URL: world.databaseUrl, DATABASE_REPLICA_URLS: replicaUrl.href },
  }
  const server = await startServer({ command: () => [process.execPath, arm.script], env, core: null })
  try {
    const url = `http://127.0.0.1:${server.port}`
    const readFor = async (ms: number) => {
      const deadline = performance.now() + ms
      const caller = async () => {
        while (performance.now() < deadline) await ask(url, world.apiKey)
      }
      await Promise.all(Array.from({ length: CALLERS }, caller))
    }
    await readFor(WARM_MS)
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
    const before = await countsAt(metricsUrl)
    await readFor(seconds * 1_000)
    const after = await countsAt(metricsUrl)
    return {
      replica: after.replica - before.replica,
      primary: after.primary - before.primary,
      givenUp: after.givenUp - before.givenUp,
    }
  } finally {
    await server.stop()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '6' },
      rounds: { type: 'string', default: '3' },
      delays: { type: 'string', default: DELAYS_MS },
      checkout: { type: 'string', multiple: true },
    },
  })
  const checkouts = (values.checkout ?? []).map((text): Arm => {
    const [name = '', path = ''] = text.split('=')
    return { name, script: resolve(path, 'dist/main.js') }
  })
  const own: Arm = { name: 'this tree', script: resolve(ROOT, 'dist/main.js') }
  const cluster = await startCluster()
  const world = await createWorld(cluster.primaryUrl)
  const [primary, replica] = [world.databaseUrl, cluster.replicaUrl].map((url) => new pg.Client(url))
  if (primary === undefined || replica === undefined) throw new Error('there are two servers')
  let isOver = false
  await Promise.all([primary.connect(), replica.connect()])
  const committing = commitUntil(primary, () => isOver)
  try {
    const rows: string[][] = []
    const seconds = Number(values.seconds)
    const arms = [...checkouts, own]
    for (const delayMs of values.delays.split(',').map(Number)) {
      await replica.query(`alter system set recovery_min_apply_delay = '${delayMs}ms'`)
      await replica.query('select pg_reload_conf()')
      const counts = arms.map((): Counts[] => [])
      for (let round = 0; round < Number(values.rounds); round++)
        for (const [at, arm] of arms.entries()) counts[at]?.push(await measure(arm, cluster, world, seconds))
      for (const [at, { name }] of arms.entries())
        rows.push([`${delayMs} ms, ${name}`, ...cellsOf(counts[at] ?? [], seconds)])
    }
    process.stdout.write(
      tableText(
        'Reads that no cache could answer',
        ['replica', 'primary', 'share', 'given up', 'reads/s', 'lowest', 'highest'],
        rows,
      ),
    )
  } finally {
    isOver = true
    await committing
    await Promise.all([primary.end(), replica.end()])
    await world.drop()
    await cluster.stop()
  }
}

/** Sums over the rounds, and of the reads per second the median, lowest and highest. */
function cellsOf(rounds: readonly Counts[], seconds: number): string[] {
  const sum = (of: (counts: Counts) => number) => rounds.reduce((total, counts) => total + of(counts), 0)
  const replica = sum((counts) => counts.replica)
  const primary = sum((counts) => counts.primary)
  const rates = rounds.map((counts) => (counts.replica + counts.primary) / seconds)
  return [
    String(replica),
    String(primary),
    `${fixed((100 * replica) / (replica + primary))} %`,
    String(sum(({ givenUp }) => givenUp)),
    ...[0.5, 0, 1].map((share) => fixed(quantile(rates, share) ?? null)),
  ]
}

async function commitUntil(primary: pg.Client, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await primary.query(
      `update dataset_state set version = version + 1, commit_id = gen_random_uuid(), changed_at = now() where dataset = 'forex'`,
    )
    await sleep(COMMIT_EVERY_MS)
  }
}

await main()
