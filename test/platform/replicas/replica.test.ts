import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../../src/core/errors.js'
import type { PostgresReads } from '../../../src/platform/database/postgres/postgres-reads.js'
import { Replica } from '../../../src/platform/replicas/replica.js'
import { statesOf } from '../../support/database/dataset-states.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const COMMIT = [...statesOf({ forex: 1 }, NOW).values()][0]?.commitId ?? ''

/** A server as its one statement about itself sees it; what a test sets, the next statement finds. */
class Server implements PostgresReads {
  isReplica = true
  startedAt = 'first'
  version = 1
  commitId = COMMIT
  failure: Error | null = null
  asked = 0

  rows: PostgresReads['rows'] = async <Row>() => {
    this.asked += 1
    if (this.failure) throw this.failure
    const { isReplica, startedAt, version, commitId } = this
    const grains = { isContinued: null, coarse: null, grains: null }
    const facts = {
      source: 'seed',
      isDevDataset: true,
      observedAt: NOW,
      changedAt: NOW,
      parts: {},
      ...grains,
    }
    return [{ isReplica, startedAt, isChanged: true, dataset: 'forex', version, commitId, ...facts }] as Row[]
  }

  /** Prisma's client of the server, of which one model is asked. */
  prisma = {
    asset: {
      count: async () => {
        if (this.failure) throw this.failure
        return 20
      },
    },
  } as unknown as PostgresReads['prisma']

  close = async () => {}
}

function replicaOf(server: Server) {
  const changes: unknown[] = []
  const replica = new Replica('1', server, (_, reason) => changes.push(reason))
  return { replica, changes }
}

function identityIn(replica: Replica, version: number): object | null {
  const states = statesOf({ forex: version }, NOW)
  return replica.identityFor(['forex'], states)
}

/** After what is under way in the background. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

afterEach(() => void vi.useRealTimers())

describe('a replica', () => {
  it('is not read before its state is known, which the first request starts', async () => {
    const { replica, changes } = replicaOf(new Server())
    expect([identityIn(replica, 1), replica.isUp]).toEqual([null, false])
    await settled()
    expect(identityIn(replica, 1)).not.toBeNull()
    expect(changes).toEqual([null])
  })

  it.each([
    ['older', 2],
    ['newer', 0],
  ])('is not read while its state is %s than the requested one', async (_, wanted) => {
    const { replica } = replicaOf(new Server())
    await replica.check()
    expect(identityIn(replica, wanted)).toBeNull()
    expect(identityIn(replica, 1)).not.toBeNull()
  })

  it('is not read if another commit has the same version: it belongs to another database', async () => {
    const server = new Server()
    server.commitId = '00000000-0000-4000-8000-000000000000'
    const { replica } = replicaOf(server)
    await replica.check()
    expect([replica.isUp, identityIn(replica, 1)]).toEqual([true, null])
  })

  it('is checked again soon if it lacks a commit, and read once it has it', async () => {
    const server = new Server()
    const { replica } = replicaOf(server)
    await replica.check()
    server.version = 2
    expect([identityIn(replica, 2), replica.lagMs > 0]).toEqual([null, true])
    await settled()
    expect(identityIn(replica, 2)).not.toBeNull()
    expect(replica.lagMs).toBe(0)
  })

  it('has the lag of the last commits that it got, also while it never has all', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const server = new Server()
    const { replica } = replicaOf(server)
    for (let version = 1; version < 100; version++) {
      server.version = Math.max(1, version - 2)
      await replica.check()
      replica.compare(statesOf({ forex: version }, NOW))
      vi.advanceTimersByTime(100)
    }
    expect(replica.lagMs).toBe(200)
    vi.advanceTimersByTime(5_000)
    expect(replica.lagMs).toBeGreaterThan(5_000)
    server.version = 99
    await replica.check()
    replica.compare(statesOf({ forex: 99 }, NOW))
    expect(replica.lagMs).toBe(0)
  })

  it('confirms a read if it had the same states before and after', async () => {
    const server = new Server()
    const { replica } = replicaOf(server)
    await replica.check()
    const identity = identityIn(replica, 1) ?? expect.fail('it is up')
    const states = statesOf({ forex: 1 }, NOW)
    expect(await replica.confirms(identity, ['forex'], states)).toBe(true)
    server.version = 2
    expect(await replica.confirms(identity, ['forex'], states)).toBe(false)
    expect(await replica.confirms(identity, [], states)).toBe(true)
  })

  it.each<readonly [string, (server: Server) => void]>([
    ['was promoted', (server) => Object.assign(server, { isReplica: false })],
    ['was started again', (server) => Object.assign(server, { startedAt: 'second' })],
    ['is out of reach', (server) => Object.assign(server, { failure: new ApiError('service_unavailable') })],
  ])('confirms nothing once it %s', async (_, happen) => {
    const server = new Server()
    const { replica } = replicaOf(server)
    await replica.check()
    const identity = identityIn(replica, 1) ?? expect.fail('it is up')
    happen(server)
    expect(await replica.confirms(identity, ['forex'], statesOf({ forex: 1 }, NOW))).toBe(false)
  })

  it('that failed is left out until it answers; earlier reads are not confirmed', async () => {
    const server = new Server()
    const { replica, changes } = replicaOf(server)
    await replica.check()
    const identity = identityIn(replica, 1) ?? expect.fail('it is up')
    const failure = new Error('canceling statement due to conflict with recovery')
    server.failure = failure
    await expect(replica.rows('select 1')).rejects.toBe(failure)
    expect(identityIn(replica, 1)).toBeNull()
    await settled()
    server.failure = null
    await replica.check()
    expect(identityIn(replica, 1)).not.toBeNull()
    expect(await replica.confirms(identity, ['forex'], statesOf({ forex: 1 }, NOW))).toBe(false)
    expect(changes).toEqual([null, failure, null])
  })

  it('that does not answer is checked at most once a second, however many requests arrive', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const server = new Server()
    server.failure = new ApiError('service_unavailable')
    const { replica, changes } = replicaOf(server)
    for (let ms = 0; ms < 2_500; ms += 100) {
      expect(identityIn(replica, 1)).toBeNull()
      await settled()
      vi.advanceTimersByTime(100)
    }
    expect([server.asked, changes.length]).toEqual([3, 1])
  })

  it('that was not read for half a minute is checked again first', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const server = new Server()
    const { replica } = replicaOf(server)
    await replica.check()
    vi.advanceTimersByTime(29_000)
    expect(identityIn(replica, 1)).not.toBeNull()
    vi.advanceTimersByTime(2_000)
    expect(identityIn(replica, 1)).toBeNull()
    await settled()
    expect([server.asked, identityIn(replica, 1) !== null]).toEqual([2, true])
  })

  it("is left out if a call of Prisma's client fails there", async () => {
    const server = new Server()
    const { replica, changes } = replicaOf(server)
    await replica.check()
    expect(await replica.prisma.asset.count()).toBe(20)
    server.failure = new Error('Connection terminated unexpectedly')
    await expect(replica.prisma.asset.count()).rejects.toThrow('terminated')
    expect([replica.isUp, changes]).toEqual([false, [null, server.failure]])
  })
})
