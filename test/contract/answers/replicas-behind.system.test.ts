import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetName } from '../../../src/core/datasets.js'
import { addDays, type IsoDate, toIsoDate } from '../../../src/core/time.js'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { bumpDataset } from '../../../src/platform/database/bump-dataset.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { loadDatasetState } from '../../../src/platform/database/dataset-states-store.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { type Answer, startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { MIGRATIONS } from '../../support/database/database.js'
import { REVISED, reviseRates, valuesOf } from '../../support/database/forex-revisions.js'
import { type Cluster, clusterBinaries, startPrimary } from '../../support/database/postgres-cluster.js'

const DELAYS_MS = [50, 200, 2_000]
/** Longer than any delay, and than a busy machine needs for a commit and a request. */
const MAX_LAG_MS = 20_000
/** About 7 commits per second. */
const COMMIT_EVERY_MS = 140
const COMMIT_OFTEN_MS = 80
const PAUSE_MS = 2
/** Answers of old states that must be seen with each delay. */
const ENOUGH = 20
/** Longest that anything here may take to show; a busy machine is slow. */
const SHOWS_MS = 60_000
/** Callers of each kind. */
const CALLERS = 3

class SystemClock extends TestClock {
  override now(): Date {
    return new Date()
  }
}

/** What a caller saw, in the order of its requests. */
interface Seen {
  readonly status: number
  readonly values: readonly number[]
  readonly version: number
}

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = performance.now() + SHOWS_MS; !(await isSo()); await sleep(25)) {
    if (performance.now() > deadline) throw new Error(`not in ${SHOWS_MS} ms: ${what}`)
  }
}

async function onServer({ url }: Cluster, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Replay may cancel any statement of a replica. */
function isDone(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

function delayReplay(replica: Cluster, ms: number): Promise<void> {
  return onServer(replica, `alter system set recovery_min_apply_delay = '${ms}ms'`, 'select pg_reload_conf()')
}

const versionOf = (headers: Headers) =>
  Number(/\bforex=(\d+)/.exec(headers.get('x-data-version') ?? '')?.[1] ?? Number.NaN)

describe.skipIf(clusterBinaries() === null)('two nodes, each with a replica that is behind', () => {
  let primary: Cluster
  let replicas: readonly Cluster[]
  let database: Database
  let nodes: readonly TestApp[]
  let revision = 1
  let isOver = false
  const ended: Promise<unknown>[] = []
  const callers = new Map<string, Seen[]>()

  async function startNode(replica: Cluster, maxLagMs = MAX_LAG_MS): Promise<TestApp> {
    return startTestApp('postgres', {
      database,
      clock: new SystemClock(new Date()),
      env: {
        ...OWN_SECRETS,
        DATABASE_URL: primary.url,
        DATABASE_REPLICA_URLS: replica.url,
        DATABASE_REPLICA_LAG_MS: `${maxLagMs}`,
        BURST_PER_MINUTE: '1000000',
      },
    })
  }

  async function newKey(node: TestApp): Promise<string> {
    const { account_id, raw_key } = await createAccountWithKey(node.access, {
      tier: 'enterprise',
      label: 'reader',
    })
    await setContract(node.access, account_id, { hour: 1_000_000, month: 10_000_000 })
    return raw_key
  }

  beforeAll(async () => {
    primary = await startPrimary()
    database = await openDatabase({ kind: 'postgres', url: primary.url, poolSize: 8 })
    await migrate(database, MIGRATIONS)
    await reviseRates(database, revision, new Date())
    replicas = await Promise.all([primary.newReplica(), primary.newReplica()])
    nodes = await Promise.all(replicas.map((replica) => startNode(replica)))
    ended.push(commitOn())
    for (let caller = 0; caller < CALLERS; caller++) {
      for (const [at, node] of nodes.entries())
        ended.push(readOn(`node ${at}, ${caller}`, [node], await newKey(node), caller % 2 === 1))
      const [node] = nodes
      if (node) ended.push(readOn(`both nodes, ${caller}`, nodes, await newKey(node), caller % 2 === 1))
    }
  })
  afterAll(async () => {
    isOver = true
    await Promise.allSettled(ended)
    await Promise.all((nodes ?? []).map((node) => node.close()))
    await database?.close()
    await Promise.all([...(replicas ?? []), primary].map((cluster) => cluster?.remove()))
  })

  async function commitOn(): Promise<void> {
    while (!isOver) {
      revision += 1
      await reviseRates(database, revision, new Date())
      await sleep(COMMIT_EVERY_MS)
    }
  }

  async function commitNothing(dataset: DatasetName): Promise<void> {
    const at = new Date()
    const state = { source: 'seed', isDevDataset: true, observedAt: at, changedAt: at }
    await database.transaction((tx) => bumpDataset(tx, { dataset, ...state }))
  }

  /** One request after the other; between nodes it hands on what it has seen. */
  async function readOn(
    name: string,
    at: readonly TestApp[],
    key: string,
    revalidates: boolean,
  ): Promise<void> {
    const seen: Seen[] = []
    callers.set(name, seen)
    const held = new Map<string, { readonly tag: string; readonly values: readonly number[] }>()
    let minimum: string | null = null // what both nodes have shown
    const today = toIsoDate(new Date())
    for (let call = 0; !isOver; call++) {
      const node = at[call % at.length]
      // Each question twice, so that answers are also cached or still valid.
      const question = Math.floor(call / 2)
      const [quote, days] = [REVISED[question % REVISED.length], 2 + ((question * 7) % 25)]
      const path = `/v1/forex?quote=${quote}&from=${addDays(today, -days)}&to=${today}`
      const known = revalidates ? held.get(path) : undefined
      const headers: Readonly<Record<string, string>> = {
        ...(at.length > 1 && minimum !== null ? { 'x-min-data-version': minimum } : {}),
        ...(known === undefined ? {} : { 'if-none-match': known.tag }),
      }
      const answer: Answer<{ data: { rate: number }[] }> | undefined = await node?.rest<{
        data: { rate: number }[]
      }>(path, { key, headers })
      if (answer === undefined) throw new Error('there is a node')
      const { status } = answer
      const values = status === 304 ? (known?.values ?? []) : status === 200 ? valuesOf(answer.body) : []
      minimum = answer.headers.get('x-data-version')
      seen.push({ status, values, version: versionOf(answer.headers) })
      const tag = answer.headers.get('etag')
      if (tag !== null) held.set(path, { tag, values })
      await sleep(PAUSE_MS)
    }
  }

  async function metric(node: TestApp, name: string, server: string): Promise<number> {
    const all = await node.metrics.getMetricsAsJSON()
    const values = all.find((one) => one.name === name)?.values ?? []
    return values.find(({ labels }) => Object.values(labels).includes(server))?.value ?? 0
  }
  let asked = 0
  /** A question that no cache can answer. */
  function newQuestion(): string {
    asked += 1
    return `/v1/forex?quote=USD&from=${addDays('2020-01-01' as IsoDate, -asked)}` // such a day is an IsoDate
  }
  /**
   * Waits until enough more runs of each node were counted. New callers come meanwhile: after an answer of the primary a busy
   * one gets no answer of a replica that is far behind.
   */
  async function areCounted(name: string): Promise<void> {
    const counts = () => Promise.all(nodes.map((node) => metric(node, name, '1')))
    const before = await counts()
    await until(`${name} rises on both`, async () => {
      for (const node of nodes)
        expect((await node.rest(newQuestion(), { key: await newKey(node) })).status).toBe(200)
      return (await counts()).every((count, at) => count >= (before[at] ?? 0) + ENOUGH)
    })
  }
  const areRead = () => areCounted('gateway_data_reads_total')

  it.each(DELAYS_MS)('answers from replicas that are %i ms behind', async (delayMs) => {
    await Promise.all(replicas.map((replica) => delayReplay(replica, delayMs)))
    await areRead()
    // The versions that a node knows are up to half a second old, so a short delay may not show.
    if (delayMs > 1_000) await areCounted('gateway_replica_older_reads_total')
  })

  it('answers callers of both nodes while the delays of their replicas differ', async () => {
    const [first, second] = replicas
    if (first && second) await Promise.all([delayReplay(first, 2_000), delayReplay(second, 50)])
    const counts = () => [...callers.values()].map(({ length }) => length)
    const before = counts()
    await until('all callers have answers', () =>
      counts().every((count, at) => count >= (before[at] ?? 0) + 10 * ENOUGH),
    )
  })

  it('answers again from a replica that was killed, and from one that was silent', async () => {
    await Promise.all(replicas.map((replica) => delayReplay(replica, 50)))
    const [first, second] = replicas
    const isUp = (at: number) => async () => {
      const node = nodes[at]
      return node !== undefined && (await metric(node, 'gateway_replica_up', '1')) === 1
    }
    await first?.kill()
    second?.freeze()
    await until('both are excluded', async () => !(await isUp(0)()) && !(await isUp(1)()))
    await first?.start()
    second?.thaw()
    await until('both are up', async () => (await isUp(0)()) && (await isUp(1)()))
    await areRead()
  })

  describe('a node with one busy key', () => {
    let node: TestApp
    let key: string

    beforeAll(async () => {
      const [first] = replicas
      if (first === undefined) throw new Error('there are two replicas')
      node = await startNode(first)
      key = await newKey(node)
    })
    afterAll(() => node?.close())

    const readsOf = (server: string) => metric(node, 'gateway_data_reads_total', server)
    const olderReads = () => metric(node, 'gateway_replica_older_reads_total', '1')
    /** The version of the answer to a new question. */
    async function askAnew(headers: Readonly<Record<string, string>> = {}): Promise<number> {
      const answer = await node.rest(newQuestion(), { key, headers })
      expect(answer.status).toBe(200)
      return versionOf(answer.headers)
    }

    it('gets answers of its replica again after one of the primary, although commits go on', async () => {
      const [first] = replicas
      if (first === undefined) throw new Error('there are two replicas')
      await delayReplay(first, 200)
      await until('replay is paused', () => isDone(onServer(first, 'select pg_wal_replay_pause()')))
      const before = await readsOf('primary')
      await until('the primary answers', async () => {
        const version = (await loadDatasetState(database, 'forex'))?.version
        await askAnew({ 'x-min-data-version': `forex=${version}` })
        return (await readsOf('primary')) > before
      })
      await until('replay goes on', () => isDone(onServer(first, 'select pg_wal_replay_resume()')))
      let isRead = false
      const commits = (async () => {
        while (!isRead) await commitNothing('forex').then(() => sleep(COMMIT_OFTEN_MS))
      })()
      const askOn = async () => {
        const versions: number[] = []
        while (!isRead) versions.push(await askAnew())
        return versions
      }
      const readers = Promise.all(Array.from({ length: CALLERS }, askOn))
      const read = await readsOf('1')
      await until('the replica answers', async () => (await readsOf('1')) >= read + ENOUGH).finally(() => {
        isRead = true
      })
      await commits
      for (const versions of await readers) expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    })

    it('gets answers of its replica also while it gets the newest ones of another dataset', async () => {
      const [first] = replicas
      if (first === undefined) throw new Error('there are two replicas')
      await commitNothing('screening')
      await delayReplay(first, 2_000)
      await sleep(2_500)
      const older = await olderReads()
      // A busy machine reads so slowly that the replica moves on meanwhile. Then the primary answers, also the next questions
      // with the same key.
      for (let calls = 0; (await olderReads()) - older <= ENOUGH / 2; calls++) {
        expect(calls).toBeLessThan(5 * ENOUGH)
        key = await newKey(node)
        const leis = ['5493001KJTIIGC8Y1R12']
        expect(
          (await node.rest('/v1/sanctions/screen', { key, method: 'POST', body: { leis } })).status,
        ).toBe(200)
        await askAnew()
      }
    })
  })

  it('never answers from a replica that stands still for longer than allowed', async () => {
    const [node] = nodes
    const [first] = replicas
    if (!node || !first) throw new Error('there are two nodes')
    const strict = await startNode(first, 300)
    await until('replay is paused', () => isDone(onServer(first, 'select pg_wal_replay_pause()')))
    const stoppedAt = revision
    await until('commits follow', () => revision > stoppedAt + 5)
    const key = await newKey(strict)
    const today = toIsoDate(new Date())
    for (let days = 2; days < 20; days++) {
      const before = revision - 10 // 1.4 s of commits, more than 0.3 s of lag and the request
      const answer = await strict.rest<{ data: { rate: number }[] }>(
        `/v1/forex?quote=USD&from=${addDays(today, -days)}&to=${today}`,
        { key },
      )
      expect(valuesOf(answer.body).every((value) => value >= before)).toBe(true)
    }
    await until('replay goes on', () => isDone(onServer(first, 'select pg_wal_replay_resume()')))
    await strict.close()
  })

  describe('every caller, when it is over,', () => {
    beforeAll(async () => {
      isOver = true
      await Promise.all(ended)
      const reads = await Promise.all(
        nodes.flatMap((node) =>
          ['1', 'primary'].map((server) => metric(node, 'gateway_data_reads_total', server)),
        ),
      )
      const answers = [...callers.values()].flat()
      process.stdout.write(
        `${answers.length} answers over ${revision} commits, ${answers.filter(({ status }) => status === 304).length} of them 304; runs on replica and primary by node: ${reads.join(', ')}\n`,
      )
    })

    it('has an answer to every request, and of one revision each', () => {
      const answers = [...callers.values()].flat()
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 304]))
      expect(answers.filter(({ values }) => values.length !== 1)).toEqual([])
    })

    it('has never seen a value or a version go back', () => {
      for (const [caller, seen] of callers) {
        const back = seen.filter((answer, at) => {
          const before = seen[at - 1] ?? answer
          return answer.version < before.version || (answer.values[0] ?? 0) < (before.values[0] ?? 0)
        })
        expect([caller, back]).toEqual([caller, []])
      }
    })
  })
})
