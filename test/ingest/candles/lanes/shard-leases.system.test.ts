import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { groupBy } from '../../../../src/core/group-by.js'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { shardOf } from '../../../../src/platform/outbox/shard-of.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../../support/database/database.js'
import { type Child, startChild } from '../../../support/processes/child.js'

const NODE = resolve(import.meta.dirname, 'children/work-on-shards.ts')
const LEASE_MS = 1_500
const SHARDS = 16

interface Work {
  readonly assetId: number
  readonly term: number
  readonly pid: number
}

describe.runIf(availableDatabases().includes('postgres'))(
  'shards of three nodes on one PostgreSQL',
  { timeout: 240_000 },
  () => {
    let url: string
    let database: Database
    let nodes: Child[]
    beforeEach(async () => {
      url = await copyPostgresWorld('empty')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      await database.script('create table work (id serial primary key, asset_id int, term int8, pid int)')
      nodes = []
      for (let count = 0; count < 3; count++) await start()
    })
    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
      await database.close()
      await dropPostgresDatabase(url)
    })

    async function start(): Promise<Child> {
      const node = await startChild(NODE, [url, String(LEASE_MS)])
      nodes.push(node)
      return node
    }
    const loadWork = () =>
      database.rows<Work>('select asset_id as "assetId", term, pid from work order by id')
    const lastId = async () =>
      (await database.rows<{ id: number }>('select coalesce(max(id), 0)::int as id from work'))[0]?.id ?? 0
    /** Waits until every shard is worked on by these nodes, and each of them works. */
    async function allAreWorkedOn(pids: readonly number[]): Promise<void> {
      const since = await lastId()
      const shards = new Set<number>()
      const working = new Set<number>()
      for (let waits = 0; shards.size < SHARDS || working.size < pids.length; waits++) {
        if (waits > 300)
          throw new Error(`shards ${[...shards].sort().join()} are worked on, by ${working.size} nodes`)
        await sleep(100)
        const rows = await database.rows<{ assetId: number; pid: number }>(
          'select distinct asset_id as "assetId", pid from work where id > $1 and pid = any($2::int[])',
          [since, pids],
        )
        for (const { assetId, pid } of rows) {
          shards.add(shardOf(assetId, SHARDS))
          working.add(pid)
        }
      }
    }
    /** In the order of the work on a shard, terms only rise, and each belongs to one node. */
    async function expectOneNodeAtATime(): Promise<readonly Work[]> {
      const all = await loadWork()
      for (const [shard, work] of groupBy(all, ({ assetId }) => String(shardOf(assetId, SHARDS)))) {
        const terms = work.map(({ term }) => term)
        expect([shard, terms]).toEqual([shard, terms.toSorted((a, b) => a - b)])
        const holders = groupBy(work, ({ term }) => String(term))
        for (const [term, rows] of holders)
          expect([shard, term, new Set(rows.map(({ pid }) => pid)).size]).toEqual([shard, term, 1])
      }
      return all
    }
    const pids = () => nodes.map(({ pid }) => pid)

    it('are each worked on by one node at a time while nodes are killed and others start', async () => {
      await allAreWorkedOn(pids())
      for (let kills = 0; kills < 6; kills++) {
        await sleep(50 + 97 * kills)
        await nodes.shift()?.kill('SIGKILL')
        const left = pids()
        await allAreWorkedOn(left)
        await start()
      }
      const all = await expectOneNodeAtATime()
      expect(new Set(all.map(({ pid }) => pid)).size).toBeGreaterThanOrEqual(8)
    })

    it('are worked on by others while a node is stopped, which adds nothing under its old terms later', async () => {
      await allAreWorkedOn(pids())
      for (let stops = 0; stops < 4; stops++) {
        const [stopped, ...others] = nodes
        if (stopped === undefined) throw new Error('no node is left')
        await sleep(50 + 131 * stops)
        process.kill(stopped.pid, 'SIGSTOP')
        await sleep(2 * LEASE_MS)
        const held = await database.rows<{ n: number }>(
          'select count(*)::int as n from lane_shard where expires_at > clock_timestamp()',
        )
        // A shard whose transaction was open when the node stopped waits for its end.
        expect(held[0]?.n).toBeGreaterThanOrEqual(SHARDS - 1)
        process.kill(stopped.pid, 'SIGCONT')
        await allAreWorkedOn(pids())
        nodes = [...others, stopped]
      }
      await expectOneNodeAtATime()
    })

    it('are all worked on by the last node that is left', async () => {
      await allAreWorkedOn(pids())
      const shares = await database.rows<{ n: number }>(
        'select count(*)::int as n from lane_shard where expires_at > clock_timestamp() group by node order by 1',
      )
      expect(shares.map(({ n }) => n).reduce((sum, n) => sum + n, 0)).toBe(SHARDS)
      await nodes.pop()?.kill('SIGKILL')
      await nodes.pop()?.kill('SIGKILL')
      await allAreWorkedOn(pids())
      const [rest] = await database.rows<{ n: number }>(
        'select count(distinct node)::int as n from lane_shard where expires_at > clock_timestamp()',
      )
      expect(rest?.n).toBe(1)
      await expectOneNodeAtATime()
    })
  },
)
