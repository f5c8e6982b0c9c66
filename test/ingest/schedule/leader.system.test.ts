import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { type Child, startChild } from '../../support/processes/child.js'

const NODE = resolve(import.meta.dirname, 'children/run-scheduler.ts')

interface Run {
  readonly job: string
  readonly dueAt: Date
  readonly coversTo: Date
  readonly status: string
  readonly detail: string | null
}

describe.runIf(availableDatabases().includes('postgres'))(
  'nodes with a schedule on one PostgreSQL',
  { timeout: 240_000 },
  () => {
    let url: string
    let database: Database
    let nodes: Child[]
    beforeEach(async () => {
      url = await copyPostgresWorld('empty')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      await database.script('create table effect (job text, covers_to timestamptz, pid int, is_alone bool)')
      nodes = []
    })
    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
      await database.close()
      await dropPostgresDatabase(url)
    })

    const startNode = async (waits: 'before' | 'after' | 'nowhere', datasets = 'supply') => {
      const node = await startChild(NODE, [url, waits, datasets])
      nodes.push(node)
      return node
    }
    /** Reads what the node prints up to that line. */
    const until = async (node: Child, begins: string) => {
      for (;;) {
        const line = await node.line()
        if (line.startsWith(begins)) return line
      }
    }
    const kill = async (node: Child) => {
      nodes = nodes.filter((other) => other !== node)
      await node.kill('SIGKILL')
    }
    const runs = () =>
      database.rows<Run>(
        `select job, due_at as "dueAt", covers_to as "coversTo", status, detail from job_run order by due_at`,
      )
    const effects = async (job = 'effects-supply') =>
      (
        await database.rows<{ at: Date }>('select covers_to as at from effect where job = $1 order by 1', [
          job,
        ])
      ).map(({ at }) => at)

    /** Every second from the first due instant on is in one run, and each run that has succeeded has one effect. */
    const expectEachOnce = async (job = 'effects-supply') => {
      const all = (await runs()).filter((run) => run.job === job)
      for (const [place, run] of all.slice(1).entries()) {
        expect(run.dueAt.getTime()).toBe((all[place]?.coversTo.getTime() ?? 0) + 1000)
      }
      const done = all.filter(({ status }) => status === 'succeeded').map(({ coversTo }) => coversTo)
      const made = await effects(job)
      expect(new Set(made.map(String)).size).toBe(made.length)
      // The last one may not be noted yet.
      expect(made.slice(0, done.length)).toEqual(done)
      expect(made.length - done.length).toBeLessThanOrEqual(1)
      return all
    }

    it('a killed node is followed by another when its leases end, and no instant is run twice', async () => {
      const first = await startNode('nowhere')
      await until(first, 'leads')
      await until(first, 'ends')
      const second = await startNode('nowhere')
      const living = () =>
        database.rows('select node from schedule_node where expires_at > clock_timestamp()')
      while ((await living()).length < 2) await sleep(50)
      await kill(first)
      const [left] = await database.rows<{ leftMs: number }>(
        `select extract(epoch from max(expires_at) - clock_timestamp())::float8 * 1000 as "leftMs" from schedule_shard`,
      )
      expect(left?.leftMs).toBeLessThanOrEqual(5_000)
      await until(second, 'leads')
      await until(second, 'ends succeeded')
      await until(second, 'ends succeeded')
      await kill(second)
      await expectEachOnce()
    })

    it('a run killed before its commit leaves nothing, and the other node runs it', async () => {
      const first = await startNode('before')
      await until(first, 'waits')
      const second = await startNode('nowhere')
      await kill(first)
      expect(await effects()).toEqual([])
      await until(second, 'ends succeeded')
      await kill(second)
      const [run] = await expectEachOnce()
      expect(run).toMatchObject({ status: 'succeeded', detail: null })
      const ledger = await database.rows('select status, error from ingest_run order by started_at limit 2')
      expect(ledger).toEqual([
        { status: 'failed', error: 'the process ended during the run' },
        { status: 'succeeded', error: null },
      ])
    })

    it('a run killed after its commit, before it is recorded, is not repeated', async () => {
      const first = await startNode('after')
      await until(first, 'waits')
      const [made] = await effects()
      const second = await startNode('nowhere')
      await kill(first)
      await until(second, 'begins')
      await until(second, 'ends succeeded')
      await kill(second)
      const [run] = await expectEachOnce()
      expect(run).toMatchObject({
        status: 'succeeded',
        detail: expect.stringMatching(/ended before it recorded the result/),
      })
      expect(run?.coversTo).toEqual(made)
    })

    it('share the datasets, and none is run twice at once or for one instant while nodes are killed and frozen', async () => {
      const datasets = ['supply', 'forex', 'bis', 'boj', 'news', 'etf', 'screening', 'protocols']
      const newNode = () => startNode('nowhere', datasets.join())
      for (let count = 0; count < 3; count++) await newNode()
      const nodesOf = (job: string) =>
        database.rows<{ pid: number }>('select distinct pid from effect where job = $1', [job])
      const lastOf = async (): Promise<ReadonlyMap<string, number>> => {
        const rows = await database.rows<{ job: string; n: number }>(
          'select job, count(*)::int as n from effect group by job',
        )
        return new Map(rows.map(({ job, n }) => [job, n]))
      }
      /** Waits until each job has run twice more. */
      const allRun = async () => {
        const before = await lastOf()
        for (let waits = 0; ; waits++) {
          const now = await lastOf()
          const jobs = datasets.map((dataset) => `effects-${dataset}`)
          if (jobs.every((job) => (now.get(job) ?? 0) >= (before.get(job) ?? 0) + 2)) return
          if (waits > 600) throw new Error(`not all jobs run: ${JSON.stringify([...now])}`)
          await sleep(100)
        }
      }
      await allRun()
      for (const ending of ['kill', 'freeze', 'kill', 'freeze'] as const) {
        const [victim] = nodes
        if (victim === undefined) throw new Error('no node is left')
        if (ending === 'kill') {
          await kill(victim)
          await newNode()
        } else {
          nodes = [...nodes.slice(1), victim]
          process.kill(victim.pid, 'SIGSTOP')
          await sleep(7_000)
          process.kill(victim.pid, 'SIGCONT')
        }
        await allRun()
      }
      await Promise.all(nodes.splice(0).map((node) => node.kill('SIGKILL')))
      expect(await database.rows('select job from effect where not is_alone')).toEqual([])
      const workers = new Set<number>()
      for (const dataset of datasets) {
        await expectEachOnce(`effects-${dataset}`)
        for (const { pid } of await nodesOf(`effects-${dataset}`)) workers.add(pid)
      }
      expect(workers.size).toBeGreaterThanOrEqual(4)
    })
  },
)
