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
import { FIRST_TERM, isNodeOfShard, isTermOfShard } from '../../../src/platform/outbox/sharded-work.js'
import { processTimers } from '../../../src/platform/timers.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const SHARDS = 16
const LEASE_MS = 900
const log = { info: () => {}, warn: () => {} }

/** The statement by which a process of an earlier release gets and renews its lease. */
const FORMER_CLAIM = `insert into schedule_lease as l (name, holder, term, expires_at)
  values ('webhooks', $1, 1, clock_timestamp() + $2 * interval '1 millisecond')
  on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
    term = l.term + (l.holder <> excluded.holder)::int
  where l.holder = excluded.holder or l.expires_at < clock_timestamp()
  returning term`
const FORMER_NODE = '11111111-1111-4111-8111-111111111111'

describe.each(availableDatabases())('leases on shards on %s', (kind) => {
  let database: Database
  const started: ShardLeases[] = []
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())
  afterEach(async () => {
    for (const leases of started.splice(0)) await leases.stop()
    await database.script('truncate webhook_node, webhook_shard, schedule_lease')
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
  const ofNode = async ({ node }: ShardLeases) => {
    const rows = await database.rows<{ shard: number }>(
      `select s.shard from webhook_shard as s where ${isNodeOfShard(WEBHOOK_WORK, '$1::uuid')}`,
      [node],
    )
    return rows.length
  }
  const claimFormer = async (leaseMs: number) =>
    (await database.rows(FORMER_CLAIM, [FORMER_NODE, leaseMs])).length > 0
  const releaseFormer = () =>
    database.rows('update schedule_lease set expires_at = clock_timestamp() where holder = $1', [FORMER_NODE])

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
    for (const { shard, term } of second.usable())
      expect(term).toBeGreaterThan(terms.get(shard) ?? FIRST_TERM)
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
    // They stay where they are, and those of a node that stops go to others that can do them.
    const before = held()
    await new Promise((resolve) => setTimeout(resolve, 3 * LEASE_MS))
    expect(held()).toEqual(before)
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

  describe('during an update', () => {
    it('are not taken before the process of the earlier release has ended', async () => {
      expect(await claimFormer(60_000)).toBe(true)
      const [first] = [start(), start()]
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
      expect(sizes()).toEqual([0, 0])
      expect(await ofNode(first)).toBe(0)
      await releaseFormer()
      await until([8, 8])
      expect(await ofNode(first)).toBe(8)
      expect(await claimFormer(60_000)).toBe(false)
    })

    it('keep a process of the earlier release from beginning until the last node has stopped', async () => {
      const [first, second] = [start(), start()]
      await until([8, 8])
      await first.stop()
      expect(await claimFormer(60_000)).toBe(false)
      await second.stop()
      await vi.waitFor(async () => expect(await claimFormer(60_000)).toBe(true))
    })

    it('are worth nothing once a process of the earlier release works, because no node could renew them', async () => {
      let isFrozen = false
      const failing: Database = {
        ...database,
        rows: async (text, ...rest) => {
          if (isFrozen) throw new Error('out of reach')
          return database.rows(text, ...rest)
        },
      }
      const first = start(SHARDS, failing)
      await until([16])
      const { term } = first.acquire(0) as ShardPermit
      expect([await ofNode(first), term]).toEqual([16, expect.any(Number)])
      isFrozen = true
      await vi.waitFor(async () => expect(await claimFormer(60_000)).toBe(true), { timeout: 5_000 })
      expect(await ofNode(first)).toBe(0)
      isFrozen = false
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
      expect([sizes(), await ofNode(first)]).toEqual([[0], 0])
      await releaseFormer()
      await until([16])
      expect(first.termOf(0)).toBeGreaterThan(term)
    })

    it('have terms that no process of an earlier release had', async () => {
      const first = start()
      await until([16])
      for (const { term } of first.usable()) expect(term).toBeGreaterThan(FIRST_TERM)
    })
  })
})
