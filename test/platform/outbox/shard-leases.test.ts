import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WEBHOOK_WORK } from '../../../src/domains/webhooks/conditions.js'
import type { Database } from '../../../src/platform/database/database.js'
import { declaredStatements } from '../../../src/platform/database/statement.js'
import {
  type ShardLeases,
  type ShardPermit,
  startShardLeases,
} from '../../../src/platform/outbox/shard-leases.js'
import { loadShardHolders } from '../../../src/platform/outbox/shard-store.js'
import { isTermOfShard } from '../../../src/platform/outbox/sharded-work.js'
import { processTimers } from '../../../src/platform/timers.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const SHARDS = 16
const LEASE_MS = 900
const log = { info: () => {}, warn: () => {} }

describe.each(availableDatabases())('leases on shards on %s', (kind) => {
  let database: Database
  const started: ShardLeases[] = []
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())
  afterEach(async () => {
    for (const leases of started.splice(0)) await leases.stop()
    await database.script('truncate webhook_node, webhook_shard')
  })

  it('declare their statements before they are read or started, and no more however often that is', async () => {
    expect(
      declaredStatements().filter(({ sql }) => sql.includes('webhook_shard')).length,
    ).toBeGreaterThanOrEqual(4)
    const { length } = declaredStatements()
    start()
    await loadShardHolders(database, WEBHOOK_WORK)
    expect(declaredStatements()).toHaveLength(length)
  })

  function start(shards = SHARDS, on: Database = database, wanted?: readonly number[]): ShardLeases {
    const leases = startShardLeases({
      ...{ work: WEBHOOK_WORK, database: on, log, timers: processTimers, shards },
      ...(wanted && { wanted }),
      leaseMs: LEASE_MS,
    })
    started.push(leases)
    return leases
  }
  const sizes = () => started.map((leases) => leases.usable().length).sort((a, b) => a - b)
  const until = (wanted: readonly number[]) =>
    vi.waitFor(() => expect(sizes()).toEqual(wanted), { timeout: 10_000, interval: 20 })
  it('are all held by one node; nodes that join get shares that differ by at most one, and each shard has one holder', async () => {
    start()
    await until([16])
    start()
    await until([8, 8])
    start()
    await until([5, 5, 6])
    start()
    start()
    await until([3, 3, 3, 3, 4])
    const shards = started.flatMap((leases) => leases.usable().map(({ shard }) => shard))
    expect(new Set(shards).size).toBe(SHARDS)
    expect(started.map((leases) => leases.partOf(8)).reduce((sum, part) => sum + part)).toBe(8)
    const holders = await loadShardHolders(database, WEBHOOK_WORK)
    expect([holders.size, [...holders.values()][0]]).toEqual([SHARDS, expect.stringMatching(/.+:\d+$/)])
  })

  it('go to the others at once when a node stops, under higher terms', async () => {
    const [first, second] = [start(), start()]
    await until([8, 8])
    const terms = new Map(first.usable().map(({ shard, term }) => [shard, term]))
    await first.stop()
    started.splice(0, 1)
    expect((await loadShardHolders(database, WEBHOOK_WORK)).size).toBeLessThanOrEqual(8)
    await until([16])
    for (const { shard, term } of second.usable()) expect(term).toBeGreaterThan(terms.get(shard) ?? 0)
  })

  it('stay with a node that works on them until the work ends, and begin no new work meanwhile', async () => {
    const first = start()
    await until([16])
    const permits = first.usable().flatMap(({ shard }) => first.acquire(shard) ?? [])
    expect(permits).toHaveLength(SHARDS)
    const second = start()
    await vi.waitFor(() => expect(first.usable()).toHaveLength(8), { timeout: 10_000 })
    const leaving = permits.filter(({ shard }) => first.termOf(shard) === null)
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
    expect(second.usable()).toEqual([])
    expect(
      leaving.map((permit) => [permit.isValid(), permit.mayWrite(), first.acquire(permit.shard)]),
    ).toEqual(leaving.map(() => [true, true, null]))
    for (const permit of leaving) permit.release()
    await until([8, 8])
  })

  it('are kept by the node that works on them when another one takes those without work', async () => {
    const first = start()
    await until([16])
    const busy = [1, 6, 15].flatMap((shard) => first.acquire(shard) ?? [])
    start()
    await until([8, 8])
    expect(busy.map(({ shard }) => first.termOf(shard) !== null)).toEqual([true, true, true])
  })

  it('of nodes that can do different ones are all held, each by a node that can do it', async () => {
    const able = [
      [0, 1],
      [1, 2, 3, 4, 5, 6, 7, 8],
      [7, 8, 9],
    ]
    for (const wanted of able) start(SHARDS, database, wanted)
    const held = () => started.map((leases) => leases.usable().map(({ shard }) => shard))
    const isComplete = () =>
      expect(
        held()
          .flat()
          .sort((a, b) => a - b),
      ).toEqual([...Array(10).keys()])
    await vi.waitFor(isComplete, { timeout: 10_000, interval: 20 })
    for (const [node, shards] of held().entries())
      expect(shards.filter((shard) => !able[node]?.includes(shard))).toEqual([])
    // They stay where they are for three lease times, which a busy machine may need more than one try to give.
    const stay = async () => {
      isComplete()
      const before = held()
      await new Promise((resolve) => setTimeout(resolve, 3 * LEASE_MS))
      expect(held()).toEqual(before)
    }
    await vi.waitFor(stay, { timeout: 20_000 })
    // Those of a node that stops go to others that can do them.
    await started.shift()?.stop()
    const rest = () =>
      expect(
        held()
          .flat()
          .sort((a, b) => a - b),
      ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    await vi.waitFor(rest, { timeout: 10_000, interval: 20 })
  })

  it('cost one statement for each renewal', async () => {
    start()
    await until([16])
    const before = database.statementCount()
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS))
    // Six renewals, or a few less on a busy machine.
    expect(database.statementCount() - before).toBeLessThanOrEqual(7)
    expect(sizes()).toEqual([16])
  })

  it('are lost by a node that could not renew them; its work is aborted and may write nothing', async () => {
    let frozen: Promise<void> | null = null
    let thaw = () => {}
    const freezing: Database = {
      ...database,
      rows: async (text, ...rest) => {
        await frozen
        return database.rows(text, ...rest)
      },
    }
    const first = start(SHARDS, freezing)
    await until([16])
    const permit = first.acquire(3) as ShardPermit
    const { term } = permit
    frozen = new Promise((resolve) => {
      thaw = resolve
    })
    const second = start()
    const taken = vi.waitFor(() => expect(second.usable()).toHaveLength(SHARDS), { timeout: 10_000 })
    await taken.finally(() => thaw())
    expect([permit.isValid(), permit.mayWrite()]).toEqual([false, true])
    await until([8, 8])
    expect([permit.isValid(), permit.mayWrite(), permit.signal.aborted]).toEqual([false, false, true])
    const current = await database.rows(
      `select 1 as one where ${isTermOfShard(WEBHOOK_WORK, '3', '$1::int8')}`,
      [term],
    )
    expect(current).toEqual([])
    await expect(database.transaction((tx) => permit.fence(tx))).rejects.toThrow('another node has shard 3')
  })

  it('are not taken while another node divides the work otherwise', async () => {
    start(8)
    await until([8])
    const other = start()
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
    expect(other.usable()).toEqual([])
    await started.shift()?.stop()
    await until([16])
  })
})
