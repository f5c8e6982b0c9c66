import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReplicas } from '../../../src/checks/check-replicas.js'
import { addDays, type IsoDate } from '../../../src/core/time.js'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import {
  loadDatasetState,
  loadDatasetStates,
} from '../../../src/platform/database/versions/dataset-states-store.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { MIGRATIONS } from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'
import { type Cluster, clusterBinaries, startPrimary } from '../../support/database/postgres-cluster.js'
import { goneBack, hammer, type Seen } from '../../support/database/revision-readers.js'

const CLIENTS = 3
const PAUSE_MS = 2
const COMMIT_EVERY_MS = 100
/** A commit must be visible on every node within a second. */
const VISIBLE_WITHIN_MS = 1_000
/** Reads that show where they come from now. */
const ENOUGH = 6
/** Longest that anything here may take to show; a busy machine is slow. */
const SHOWS_MS = 30_000
/** Of a promoted replica alone. */
const FOREIGN_REVISION = 1_000_000

class SystemClock extends TestClock {
  override now(): Date {
    return new Date()
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + SHOWS_MS; !(await isSo()); await sleep(25)) {
    if (performance.now() > deadline) throw new Error(`not in ${SHOWS_MS} ms: ${what}`)
  }
}

async function onServer({ url }: Cluster, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query({ text: sql, rowMode: 'array' }).finally(() => client.end())
  return rows[0]?.[0]
}

async function delayReplay(replica: Cluster, ms: number): Promise<void> {
  await onServer(replica, `alter system set recovery_min_apply_delay = '${ms}ms'`)
  await onServer(replica, 'select pg_reload_conf()')
}

/** Makes a primary of it. A statement that waited for this would hold a snapshot, and the server's last replay waits for that. */
async function promote(replica: Cluster): Promise<void> {
  await onServer(replica, 'select pg_promote(false)')
  await until('it is promoted', async () => (await onServer(replica, 'select pg_is_in_recovery()')) === false)
}

describe.skipIf(clusterBinaries() === null)('a node with two streaming replicas', () => {
  let primary: Cluster
  let first: Cluster
  let second: Cluster
  let database: Database
  let app: TestApp
  let key: string

  beforeAll(async () => {
    primary = await startPrimary()
    database = await openDatabase({ kind: 'postgres', url: primary.url, poolSize: 6 })
    await migrate(database, MIGRATIONS)
    await reviseRates(database, 1, new Date())
    ;[first, second] = await Promise.all([primary.newReplica(), primary.newReplica()])
    app = await startTestApp('postgres', {
      database,
      clock: new SystemClock(new Date()),
      env: {
        ...OWN_SECRETS,
        DATABASE_URL: primary.url,
        DATABASE_REPLICA_URLS: `${first.url},${second.url}`,
        BURST_PER_MINUTE: '1000000',
      },
    })
    const account = await createAccountWithKey(app.access, { tier: 'enterprise', label: 'reader' })
    await setContract(app.access, account.account_id, { hour: 1_000_000, month: 10_000_000 })
    key = account.raw_key
    await until('both are up', async () => (await isUp('1')) && (await isUp('2')))
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
    await Promise.all([first, second, primary].map((cluster) => cluster?.remove()))
  })

  async function metric(name: string, label: Readonly<Record<string, string>>): Promise<number> {
    const all = await app.metrics.getMetricsAsJSON()
    const values = all.find((one) => one.name === name)?.values ?? []
    const [[member, wanted] = ['', '']] = Object.entries(label)
    return values.find(({ labels }) => (labels as Record<string, unknown>)[member] === wanted)?.value ?? 0
  }
  const isUp = async (replica: string) => (await metric('gateway_replica_up', { replica })) === 1
  const lagOf = (replica: string) => metric('gateway_replica_lag_seconds', { replica })
  const readsOf = (server: string) => metric('gateway_data_reads_total', { server })

  let asked = 0
  /** A question that nobody asked before, so that no answer to it is cached. */
  async function askAnew(): Promise<void> {
    asked += 1
    const from = addDays('2020-01-01' as IsoDate, -asked) // a calendar day as it is written there
    expect((await app.rest(`/v1/forex?quote=USD&from=${from}`, { key })).status).toBe(200)
  }

  /** Asks until more operations were read from there. */
  async function isRead(server: string): Promise<void> {
    const before = await readsOf(server)
    await until(`${server} is read`, async () => {
      await Promise.all(Array.from({ length: ENOUGH }, askAnew))
      return (await readsOf(server)) >= before + ENOUGH
    })
  }

  /** Waits for reads of the other replica, and wants none of this one meanwhile. */
  async function isLeftOut(replica: string, other: string): Promise<void> {
    // Runs are counted when they end: those that began before the replica was left out have ended by then.
    await isRead(other)
    const before = await readsOf(replica)
    await isRead(other)
    expect([replica, await readsOf(replica)]).toEqual([replica, before])
  }

  it('reads operations over datasets from them in turn, and everything else from the primary', async () => {
    const servers = ['primary', '1', '2']
    const before = await Promise.all(servers.map(readsOf))
    const statementsBefore = database.statementCount()
    for (let call = 0; call < 20; call++) await askAnew()
    const after = await Promise.all(servers.map(readsOf))
    expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([0, 10, 10])
    // Of each request the charge; of all the dataset versions, each half second, and one reading of the currencies.
    process.stdout.write(`20 cold reads: ${database.statementCount() - statementsBefore} on the primary\n`)
    expect((await app.rest('/v1/usage', { key })).status).toBe(200)
    expect((await app.rest('/v1/discover/NOTHING', { key })).status).toBe(503)
    expect(await Promise.all(servers.map(readsOf))).toEqual(after)
  })

  it('sees every commit at once, however far the replicas lag', async () => {
    await Promise.all([first, second].map((replica) => onServer(replica, 'select pg_wal_replay_pause()')))
    const account = await createAccountWithKey(app.access, { tier: 'pro', label: 'new' })
    expect((await app.rest('/v1/usage', { key: account.raw_key })).status).toBe(200)
    await reviseRates(database, 2, new Date())
    await sleep(VISIBLE_WITHIN_MS)
    const { body } = await app.rest<{ data: { rate: number }[] }>('/v1/forex?quote=JPY', { key })
    expect(new Set(body.data.map(({ rate }) => rate))).toEqual(new Set([2]))
    await Promise.all([first, second].map((replica) => onServer(replica, 'select pg_wal_replay_resume()')))
    await until('they have caught up', async () => (await lagOf('1')) === 0 && (await lagOf('2')) === 0)
  })

  it('reads them while they lack commits to grains that an operation does not read', async () => {
    const bump = (dataset: 'candles' | 'instruments' | 'supply', grain: string | null) => {
      const at = new Date()
      const touched = grain === null ? {} : { touched: new Map([[grain, at]]) }
      const change = { source: 'one', isDevDataset: false, observedAt: at, changedAt: at, ...touched }
      return database.transaction((tx) => bumpDataset(tx, { dataset, ...change }))
    }
    for (const dataset of ['instruments', 'supply', 'candles'] as const) await bump(dataset, null)
    await bump('candles', 'bitcoin')
    await bump('candles', 'ethereum')
    const states = await loadDatasetStates(database)
    const have = async (replica: Cluster) => {
      const commit = states.get('candles')?.commitId
      return (
        (await onServer(replica, "select commit_id from dataset_state where dataset = 'candles'")) === commit
      )
    }
    await until('they have the candles', async () => (await have(first)) && (await have(second)))
    await Promise.all([first, second].map((replica) => onServer(replica, 'select pg_wal_replay_pause()')))
    await bump('candles', 'ethereum')
    await sleep(VISIBLE_WITHIN_MS)
    /** No asset is stored, so each answer is a 404, which a replica may give under the same conditions. */
    const serversOf = async (slug: string) => {
      const before = await Promise.all(['primary', '1', '2'].map(readsOf))
      for (let call = 0; call < ENOUGH; call++)
        expect((await app.rest(`/v1/assets/${slug}/ohlcv`, { key })).status).toBe(404)
      const after = await Promise.all(['primary', '1', '2'].map(readsOf))
      return after.map((count, at) => count - (before[at] ?? 0))
    }
    const [primaryReads = 0, ...replicaReads] = await serversOf('bitcoin')
    expect([primaryReads, replicaReads[0] ?? 0, replicaReads[1] ?? 0]).toEqual([0, 3, 3])
    expect(await serversOf('ethereum')).toEqual([ENOUGH, 0, 0])
    await Promise.all([first, second].map((replica) => onServer(replica, 'select pg_wal_replay_resume()')))
    await until('they have caught up', async () => (await lagOf('1')) === 0 && (await lagOf('2')) === 0)
  })

  it('reports in doctor which replicas are readable, and why the others are not', async () => {
    await reviseRates(database, 3, new Date())
    const find = async () => {
      const findings = await checkReplicas(app.config, database)
      return findings.map(({ status, message }) => [status, message.replace(/^[\d.:]+\/postgres /, '')])
    }
    const good = ['ok', 'has every data version of the primary']
    expect(await find()).toEqual([good, good])
    await onServer(first, 'select pg_wal_replay_pause()')
    await reviseRates(database, 4, new Date())
    await second.kill()
    expect(await find()).toEqual([
      ['warning', 'has other data versions than the primary after 2 s: forex'],
      ['warning', expect.stringMatching(/postgres: the database cannot be used: connect ECONNREFUSED/)],
    ])
    const [finding] = await checkReplicas({ ...app.config, replicaUrls: [primary.url] }, database)
    expect([finding?.status, finding?.message]).toEqual([
      'problem',
      expect.stringContaining('is not in recovery'),
    ])
    await onServer(first, 'select pg_wal_replay_resume()')
    await second.start()
    await until('both are up', async () => (await isUp('1')) && (await isUp('2')))
  })

  describe('a node with replicas under a stream of commits', () => {
    const commits: { readonly revision: number; readonly version: number; readonly at: number }[] = []
    let seen: readonly Seen[]
    let isOver = false
    let areCommitsHeld = false
    /** Answers so far that are a 304. */
    let confirmed = 0

    async function commitOn(): Promise<void> {
      for (let revision = 5; !isOver; revision++) {
        while (areCommitsHeld) await sleep(PAUSE_MS)
        await reviseRates(database, revision, new Date())
        const at = performance.now()
        const version = (await loadDatasetState(database, 'forex'))?.version ?? 0
        commits.push({ revision, version, at })
        await sleep(COMMIT_EVERY_MS)
      }
    }

    /**
     * Waits for a 304. No commit lands meanwhile: on a busy machine every answer has another version before it is asked for
     * again.
     */
    async function isConfirmed(): Promise<void> {
      const before = confirmed
      areCommitsHeld = true
      await until('an answer is confirmed', async () => confirmed > before).finally(() => {
        areCommitsHeld = false
      })
    }

    /** All that can become of a replica, one after the other; what must follow of each is waited for. */
    async function harm(): Promise<void> {
      await Promise.all([isRead('1'), isRead('2')])
      await onServer(first, 'select pg_wal_replay_pause()')
      await until('it is behind', async () => (await lagOf('1')) > 0)
      await isLeftOut('1', '2')
      await isConfirmed()
      await onServer(first, 'select pg_wal_replay_resume()')
      await isRead('1')
      for (const delayMs of [50, 200]) {
        await delayReplay(first, delayMs)
        await isRead('2')
      }
      await delayReplay(first, 0)
      await isRead('1')
      await first.kill()
      await until('it is down', async () => !(await isUp('1')))
      await isLeftOut('1', '2')
      await isConfirmed()
      await first.start()
      await isRead('1')
      first.freeze()
      await until('it is silent', async () => !(await isUp('1')))
      await isLeftOut('1', '2')
      await isConfirmed()
      first.thaw()
      await isRead('1')
      await promote(first)
      const promoted = await openDatabase({ kind: 'postgres', url: first.url, poolSize: 1 })
      await reviseRates(promoted, FOREIGN_REVISION, new Date())
      await promoted.close()
      await until('it is no replica', async () => !(await isUp('1')))
      await isLeftOut('1', '2')
      await isConfirmed()
      await first.rebuildFrom(primary)
      await isRead('1')
      await Promise.all([first.kill(), second.kill()])
      await until('both are down', async () => !(await isUp('1')) && !(await isUp('2')))
      await isRead('primary')
      await Promise.all([first.start(), second.start()])
      await Promise.all([isRead('1'), isRead('2')])
    }

    beforeAll(async () => {
      const note = ({ status }: Seen) => {
        if (status === 304) confirmed += 1
      }
      const run = { isOver: () => isOver, note }
      const readers = Array.from({ length: CLIENTS }, (_, index) =>
        hammer(app, { node: 0, client: `${index}`, key, pauseMs: PAUSE_MS }, index % 2 === 1, run),
      )
      const all = Promise.all([commitOn(), ...readers])
      const harmed = harm().finally(() => {
        isOver = true
      })
      const [[, ...answers]] = await Promise.all([all, harmed])
      seen = answers.flat().sort((a, b) => a.answeredAt - b.answeredAt)
      const reads = await Promise.all(['1', '2', 'primary'].map(readsOf))
      process.stdout.write(
        `${seen.length} answers over ${commits.length} commits; runs on replicas and primary: ${reads.join(', ')}\n`,
      )
    })

    it('answers every request while replicas are paused, killed, silent and promoted', () => {
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 304]))
    })

    it('never shows part of a revision, or a promoted server’s data', () => {
      expect(seen.filter(({ revisions }) => revisions.length !== 1)).toEqual([])
      expect(seen.filter(({ revisions }) => revisions.includes(FOREIGN_REVISION))).toEqual([])
    })

    it('never goes back to an older revision', () => {
      expect(goneBack(seen)).toEqual([])
    })

    it('shows exactly the revision of the version in the headers', () => {
      const revisionBy = new Map(commits.map(({ revision, version }) => [version, revision]))
      const wrong = seen.filter(({ status, version, revisions: [shown] }) => {
        if (status === 304) return false
        return version === null || (revisionBy.get(version) ?? 4) !== shown
      })
      expect(wrong).toEqual([])
    })

    it('shows a commit within a second', () => {
      const late = seen.filter(({ askedAt, revisions: [shown = -1] }) =>
        commits.some(({ revision, at }) => revision > shown && askedAt - at > VISIBLE_WITHIN_MS),
      )
      expect(late).toEqual([])
    })
  })
})
