import { resolve } from 'node:path'
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
  readonly dueAt: Date
  readonly coversTo: Date
  readonly status: string
  readonly detail: string | null
}

describe.runIf(availableDatabases().includes('postgres'))(
  'two nodes on one PostgreSQL',
  { timeout: 120_000 },
  () => {
    let url: string
    let database: Database
    let nodes: Child[]
    beforeEach(async () => {
      url = await copyPostgresWorld('empty')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      await database.script('create table effect (covers_to timestamptz, pid int)')
      nodes = []
    })
    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
      await database.close()
      await dropPostgresDatabase(url)
    })

    const startNode = async (waits: 'before' | 'after' | 'nowhere') => {
      const node = await startChild(NODE, [url, waits])
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
        `select due_at as "dueAt", covers_to as "coversTo", status, detail from job_run order by due_at`,
      )
    const effects = async () =>
      (await database.rows<{ at: Date }>('select covers_to as at from effect order by 1')).map(({ at }) => at)

    /** Every second from the first due instant on is in one run, and each run that has succeeded has one effect. */
    const expectEachOnce = async () => {
      const all = await runs()
      for (const [place, run] of all.slice(1).entries()) {
        expect(run.dueAt.getTime()).toBe((all[place]?.coversTo.getTime() ?? 0) + 1000)
      }
      const done = all.filter(({ status }) => status === 'succeeded').map(({ coversTo }) => coversTo)
      const made = await effects()
      expect(new Set(made.map(String)).size).toBe(made.length)
      // The last one may not be noted yet.
      expect(made.slice(0, done.length)).toEqual(done)
      expect(made.length - done.length).toBeLessThanOrEqual(1)
      return all
    }

    it('one runs the schedule; if it is killed, the other takes over when its lease ends, and no instant is run twice', async () => {
      const first = await startNode('nowhere')
      await until(first, 'leads')
      const second = await startNode('nowhere')
      await until(first, 'ends')
      await until(first, 'ends')
      await kill(first)
      const [left] = await database.rows<{ leftMs: number }>(
        `select extract(epoch from max(expires_at) - clock_timestamp())::float8 * 1000 as "leftMs" from schedule_lease`,
      )
      expect(left?.leftMs).toBeLessThanOrEqual(5_000)
      expect(await second.line()).toBe('leads')
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
  },
)
