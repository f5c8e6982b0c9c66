import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '../../../src/schema.js' // registers the datasets
import type { DatasetName } from '../../../src/core/datasets.js'
import type { DatasetStates } from '../../../src/platform/database/data-version.js'
import type { PostgresReads } from '../../../src/platform/database/postgres/postgres-reads.js'
import { Replica } from '../../../src/platform/replicas/replica.js'
import { Replicas } from '../../../src/platform/replicas/replicas.js'
import { VersionHistory } from '../../../src/platform/replicas/version-history.js'
import { stampOf, statesOf } from '../../support/database/dataset-states.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const MAX_LAG_MS = 1_000
const COMMIT = stampOf(0).slice(2)

type Versions = Partial<Record<DatasetName, number>>

/** A replica that reports these versions at its next check. */
function newReplica(name: string) {
  const reported: { versions: Versions; commitId: string } = { versions: {}, commitId: COMMIT }
  const server = {
    rows: async <Row>() =>
      Object.entries(reported.versions).map(([dataset, version]) => ({
        ...{ isReplica: true, startedAt: 'first', isChanged: true, dataset, version },
        ...{ source: 'seed', isDevDataset: true, observedAt: NOW, changedAt: NOW, parts: {} },
        ...{ commitId: reported.commitId, isContinued: null, coarse: null, grains: null, installation: null },
      })) as Row[],
    prisma: {} as PostgresReads['prisma'],
    close: async () => {},
  }
  const replica = new Replica(name, server, () => {})
  const has = (versions: Versions, commitId = COMMIT) => {
    Object.assign(reported, { versions, commitId })
    return replica.check()
  }
  return { replica, has }
}

function newReplicas(maxLagMs = MAX_LAG_MS) {
  const { replica, has } = newReplica('1')
  const history = new VersionHistory()
  const counts = { onPrimary: () => {}, onReplica: () => {}, givenUp: () => {} }
  const replicas = new Replicas([replica], { counts, history, maxLagMs })
  /** The primary is read now, and has these versions. */
  const reads = (versions: Versions): DatasetStates => {
    const states = statesOf(versions, NOW)
    history.note(states, performance.now())
    return states
  }
  const chosen = (primary: DatasetStates, allows: (states: DatasetStates) => boolean = () => true) =>
    replicas.choose(['forex'], primary, allows)?.datasets.get('forex')?.version ?? null
  return { replica, replicas, has, reads, chosen }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('a replica that is behind', () => {
  it('answers with its own versions while they are recent', async () => {
    const { has, reads, chosen } = newReplicas()
    reads({ forex: 1 })
    await has({ forex: 1 })
    vi.advanceTimersByTime(900)
    expect(chosen(reads({ forex: 2 }))).toBe(1)
    vi.advanceTimersByTime(101)
    expect(chosen(reads({ forex: 3 }))).toBeNull()
  })

  it('is recent from the last time at which the primary had no more', async () => {
    const { has, reads, chosen } = newReplicas()
    reads({ forex: 1 })
    await has({ forex: 1 })
    vi.advanceTimersByTime(5_000)
    reads({ forex: 1 })
    vi.advanceTimersByTime(900)
    expect(chosen(reads({ forex: 2 }))).toBe(1)
  })

  it('does not answer a caller that has seen newer versions', async () => {
    const { has, reads, chosen } = newReplicas()
    reads({ forex: 1 })
    await has({ forex: 1 })
    expect(chosen(reads({ forex: 2 }), () => false)).toBeNull()
  })

  it('answers with the primary’s versions if it lacks only what is not read', async () => {
    const { has, reads, chosen } = newReplicas(0)
    reads({ forex: 1, instruments: 1 })
    await has({ forex: 1, instruments: 1 })
    vi.advanceTimersByTime(10_000)
    expect(chosen(reads({ forex: 1, instruments: 2 }), () => false)).toBe(1)
    expect(chosen(reads({ forex: 2, instruments: 2 }))).toBeNull()
  })

  it('does not answer with a commit that the primary has not shown, also of another dataset', async () => {
    const { replicas, has, reads, chosen } = newReplicas()
    reads({ forex: 1, instruments: 1 })
    await has({ forex: 1, instruments: 2 })
    const primary = reads({ forex: 2, instruments: 1 })
    expect([chosen(primary), replicas.isAhead(primary)]).toEqual([null, true])
    const newer = reads({ forex: 2, instruments: 2 })
    expect([chosen(newer), replicas.isAhead(newer)]).toEqual([1, false])
  })

  it('does not answer if it has another commit under the same version: it is no copy of the primary', async () => {
    const { has, reads, chosen } = newReplicas()
    reads({ forex: 1, instruments: 1 })
    await has({ forex: 1, instruments: 1 }, '00000000-0000-4000-8000-000000000000')
    expect(chosen(reads({ forex: 2, instruments: 1 }))).toBeNull()
  })

  it('has a lag from the last instant at which it lacked nothing, also while it never catches up', async () => {
    const { replica, replicas, has, reads } = newReplicas()
    for (let version = 1; version < 100; version++) {
      const primary = reads({ forex: version })
      await has({ forex: Math.max(1, version - 2) })
      vi.advanceTimersByTime(100)
      replicas.compare(replica, primary)
    }
    expect(replica.lagMs).toBe(300)
    await has({ forex: 99 })
    replicas.compare(replica, reads({ forex: 99 }))
    expect(replica.lagMs).toBe(0)
  })

  it('offers its states for cached answers only while it lacks something', async () => {
    const { replicas, has, reads } = newReplicas()
    const primary = reads({ forex: 1 })
    await has({ forex: 1 })
    expect(replicas.olderStates(primary)).toEqual([])
    const newer = reads({ forex: 2 })
    expect(replicas.olderStates(newer).map((states) => states.get('forex')?.version)).toEqual([1])
    vi.advanceTimersByTime(200)
    expect(
      [replicas.olderStates(newer, 201), replicas.olderStates(newer, 199)].map(({ length }) => length),
    ).toEqual([1, 0])
  })
})
