import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '../../../../src/schema.js' // registers the datasets
import { ApiError } from '../../../../src/core/errors.js'
import { runOnReplica } from '../../../../src/gateway/http/replica-reads/replica-run.js'
import type { Database } from '../../../../src/platform/database/database.js'
import type { PostgresReads } from '../../../../src/platform/database/postgres/postgres-reads.js'
import type { DataVersions } from '../../../../src/platform/database/versions/data-versions.js'
import { REPLICA_LIMITS, Replica } from '../../../../src/platform/replicas/replica.js'
import { Replicas } from '../../../../src/platform/replicas/replicas.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'
import type { PreparedOperation } from '../../../../src/platform/request/transport.js'
import { stampOf, statesOf } from '../../../support/database/dataset-states.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const READ = 'select rate'

const statesAt = (forex: number) => statesOf({ forex, instruments: 1 }, NOW)

/** A streaming replica whose version of forex a test sets. */
class Server implements PostgresReads {
  forex = 5
  instruments = 1
  isFrozen = false
  reads = 0
  /** Called while a statement of the operation runs. */
  onRead: () => void = () => {}
  readonly prisma = {} as PostgresReads['prisma'] // no operation here uses it
  close = async () => {}

  rows: PostgresReads['rows'] = async <Row>(sql: unknown) => {
    if (sql === READ) {
      this.reads += 1
      this.onRead()
    }
    if (this.isFrozen) {
      await new Promise((resolve) => setTimeout(resolve, REPLICA_LIMITS.statementMs))
      throw new ApiError('service_unavailable')
    }
    if (sql === READ) return [] as Row[]
    const state = { source: 'seed', isDevDataset: true, observedAt: NOW, changedAt: NOW, parts: {} }
    const known = { isContinued: null, coarse: null, grains: null, commitId: stampOf(0).slice(2) }
    return [
      { dataset: 'forex', version: this.forex },
      { dataset: 'instruments', version: this.instruments },
    ].map((row) => ({
      isReplica: true,
      startedAt: 'first',
      isChanged: true,
      ...state,
      ...known,
      ...row,
    })) as Row[]
  }
}

describe('an operation that only reads datasets', () => {
  let servers: readonly Server[]
  let replicas: Replicas
  const counted: string[] = []

  async function open(count: number): Promise<void> {
    servers = Array.from({ length: count }, () => new Server())
    const all = servers.map((server, at) => new Replica(String(at + 1), server, () => {}))
    await Promise.all(all.map((replica) => replica.check()))
    counted.length = 0
    replicas = new Replicas(all, {
      onPrimary: () => counted.push('primary'),
      onReplica: (name) => counted.push(name),
      givenUp: (name) => counted.push(`given up ${name}`),
    })
  }
  beforeEach(() => open(1))
  afterEach(() => void vi.useRealTimers())

  /** The version of the answer from a replica of a node that knows these; null: the primary must answer. */
  async function answered(known: number, newest = known): Promise<number | null> {
    const result = { status: 200, headers: [], isComplete: true, json: '{}', body: null, refund: null }
    const prepared: Partial<PreparedOperation> = {
      ...{ reads: ['forex'], isCacheable: true, isWaiting: false },
      run: async ({ database }) => {
        await database.rows(READ)
        return result
      },
    }
    const onPrimary: Partial<Database> = { rows: async () => [] }
    const context = { datasets: statesAt(known), database: onPrimary, now: NOW } as RequestContext
    const versions: Partial<DataVersions> = {
      current: () => statesAt(known),
      fresh: async () => statesAt(newest),
    }
    const run = await runOnReplica(prepared as PreparedOperation, context, {
      replicas,
      versions: versions as DataVersions,
    })
    return run?.datasets.get('forex')?.version ?? null
  }

  it('is answered by a replica that has the versions that the node knows', async () => {
    expect(await answered(5)).toBe(5)
    expect([servers[0]?.reads, counted]).toEqual([1, ['1']])
  })

  it('is left to the primary if the replica lags behind them, and is not tried there', async () => {
    expect(await answered(6)).toBeNull()
    expect([servers[0]?.reads, counted]).toEqual([0, ['primary']])
  })

  it('is answered by the replica that has them, if another one lags behind', async () => {
    await open(2)
    for (const at of [0, 1]) {
      for (const [index, server] of servers.entries()) server.forex = index === at ? 6 : 7
      await Promise.all(replicas.all.map((replica) => replica.check()))
      counted.length = 0
      expect(await answered(7)).toBe(7)
      expect(counted).toEqual([at === 0 ? '2' : '1'])
    }
  })

  it('is answered by a replica that lacks only what the operation does not read', async () => {
    const [server] = servers
    if (server) server.instruments = 0
    await replicas.all[0]?.check()
    expect(await answered(5)).toBe(5)
  })

  it('runs again with the newest versions if the replica gets a commit meanwhile', async () => {
    const [server] = servers
    if (server === undefined) throw new Error('there is a server')
    server.onRead = () => {
      server.forex = 6
    }
    expect(await answered(5, 6)).toBe(6)
    expect(counted).toEqual(['given up 1', '1'])
  })

  it('waits for one frozen replica for the time of one statement, and then leaves the others alone', async () => {
    await open(3)
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    for (const server of servers) server.isFrozen = true
    const startedAt = performance.now()
    const answer = answered(5)
    await vi.advanceTimersByTimeAsync(REPLICA_LIMITS.statementMs)
    expect(await answer).toBeNull()
    expect(performance.now() - startedAt).toBe(REPLICA_LIMITS.statementMs)
    expect(servers.reduce((sum, { reads }) => sum + reads, 0)).toBe(1)
    expect(counted).toEqual(['given up 2', 'primary'])
  })
})
