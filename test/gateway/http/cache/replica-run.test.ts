import { beforeEach, describe, expect, it } from 'vitest'
import '../../../../src/schema.js' // registers the datasets
import { statesOfCaller } from '../../../../src/gateway/http/cache/caller-states.js'
import { runOnReplica } from '../../../../src/gateway/http/cache/replica-run.js'
import type { DataVersions } from '../../../../src/platform/database/data-versions.js'
import type { Database } from '../../../../src/platform/database/database.js'
import type { PostgresReads } from '../../../../src/platform/database/postgres/postgres-reads.js'
import { Replica } from '../../../../src/platform/replicas/replica.js'
import { Replicas } from '../../../../src/platform/replicas/replicas.js'
import { VersionHistory } from '../../../../src/platform/replicas/version-history.js'
import type { Exchange } from '../../../../src/platform/request/exchange.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'
import type { PreparedOperation } from '../../../../src/platform/request/transport.js'
import { ANONYMOUS, type Principal } from '../../../../src/policy/principal.js'
import { stampOf, statesOf } from '../../../support/database/dataset-states.js'
import { CALLER } from '../../rest/rest-app.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const MAX_LAG_MS = 60_000
/** The replica has replayed the last commit after so many checks. */
const CHECKS = 4

const states = (forex: number) => statesOf({ forex }, NOW)

describe('an operation of a caller that has seen more than the replica has', () => {
  let checks: number
  let history: VersionHistory
  let replicas: Replicas

  beforeEach(async () => {
    checks = 0
    history = new VersionHistory()
    const rows = async <Row>() => {
      checks += 1
      const version = checks <= CHECKS ? 4 : 5
      const state = { source: 'seed', isDevDataset: true, observedAt: NOW, changedAt: NOW, parts: {} }
      const known = { isContinued: null, coarse: null, grains: null, installation: null }
      const server = { isReplica: true, startedAt: 'first', isChanged: true, commitId: stampOf(0).slice(2) }
      return [{ ...server, ...state, ...known, dataset: 'forex', version }] as Row[]
    }
    const server = { rows, prisma: {} as PostgresReads['prisma'], close: async () => {} }
    const counts = { onPrimary: () => {}, onReplica: () => {}, givenUp: () => {} }
    const replica = new Replica('1', server, () => {})
    replicas = new Replicas([replica], { counts, history, maxLagMs: MAX_LAG_MS })
    await replica.check()
  })

  /** The version of the answer from the replica; null: the primary must answer. */
  async function answered({ principal = CALLER as Principal, readAgoMs = 0, isUnknown = false } = {}) {
    history.note(states(4), performance.now() - readAgoMs)
    const primary = states(5)
    history.note(primary, performance.now())
    const exchange: Partial<Exchange> = { method: 'GET', path: '/v1/forex', header: () => null }
    const caller = statesOfCaller(exchange as Exchange, principal, replicas)
    if (isUnknown) caller.noteUnknown(['forex'])
    else caller.note(['forex'], primary)
    const result = { status: 200, headers: [], isComplete: true, json: '{}', body: null, refund: null }
    const prepared: Partial<PreparedOperation> = {
      ...{ reads: ['forex'], isCacheable: true, isWaiting: false },
      run: async () => result,
    }
    const context = { datasets: primary, database: {} as Database, now: NOW } as RequestContext
    const versions = { fresh: async () => primary } as DataVersions
    const run = await runOnReplica(prepared as PreparedOperation, context, { replicas, versions, caller })
    return run?.datasets.get('forex')?.version ?? null
  }

  it('waits for a replica that has it soon', async () => {
    expect(await answered()).toBe(5)
    expect(checks).toBeGreaterThan(CHECKS)
  })

  it.each([
    ['the replica is far behind', { readAgoMs: 1_000 }],
    ['nobody knows what the caller has seen', { isUnknown: true }],
    ['the caller is anonymous', { principal: ANONYMOUS }],
  ])('does not wait if %s', async (_, how) => {
    expect(await answered(how)).toBeNull()
    expect(checks).toBeLessThan(CHECKS)
  })
})
