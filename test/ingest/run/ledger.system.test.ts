import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import type { DatasetName } from '../../../src/core/datasets.js'
import { failDeadRuns } from '../../../src/ingest/run/ledger.js'
import { type Database, type DatabaseTarget, openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { prepare } from '../../../src/process/prepare.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import {
  availableDatabases,
  copyEmbeddedWorld,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { type Child, startChild } from '../../support/processes/child.js'

const RUN = resolve(import.meta.dirname, '../children/run-until-killed.ts')
const NOW = new Date('2026-11-20T12:00:00Z')
const KILLED = { status: 'failed', error: 'the process ended during the run' }

let children: Child[] = []
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill('SIGKILL')))
  children = []
})

/** A process with a run under way. */
async function startRunning(target: DatabaseTarget, dataset: DatasetName = 'forex'): Promise<Child> {
  const child = await startChild(RUN, [JSON.stringify(target), dataset])
  children.push(child)
  expect(await child.line()).toBe('waiting')
  return child
}

function runsOf(database: Database) {
  return database.rows('select status, error from ingest_run order by started_at')
}

describe('a run whose process was killed', { timeout: 180_000 }, () => {
  it('is marked failed when its embedded database is opened again', async () => {
    const home = mkdtempSync(join(tmpdir(), 'ledger-'))
    const target = { kind: 'embedded', directory: join(home, 'data') } as const
    await copyEmbeddedWorld('empty', target.directory)
    await (await startRunning(target)).kill('SIGKILL')
    const database = await openDatabase(target)
    expect(await runsOf(database)).toEqual([{ status: 'running', error: null }])
    expect(await failDeadRuns(database, NOW)).toBe(1)
    expect(await runsOf(database)).toEqual([KILLED])
    await database.close()
    rmSync(home, { recursive: true })
  })

  describe.runIf(availableDatabases().includes('postgres'))('on PostgreSQL', () => {
    let target: Extract<DatabaseTarget, { kind: 'postgres' }>
    let database: Database
    beforeEach(async () => {
      target = { kind: 'postgres', url: await copyPostgresWorld('empty'), poolSize: 2 }
      database = await openDatabase(target)
    })
    afterEach(async () => {
      await database.close()
      await dropPostgresDatabase(target.url)
    })

    /** Kills a process that holds a run; resolves when the server has noticed, which takes a moment. */
    async function killHolder(holder: Child): Promise<void> {
      const before = await countSessions()
      await holder.kill('SIGKILL')
      await expect.poll(countSessions, { timeout: 30_000 }).toBeLessThan(before)
    }

    async function countSessions(): Promise<number> {
      const [row] = await database.rows<{ count: number }>(
        'select count(*)::int4 as count from pg_stat_activity where datname = current_database()',
      )
      return row?.count ?? 0
    }

    it('is marked failed by the next start of a gateway, but not while another process runs it', async () => {
      const killed = await startRunning(target)
      await startRunning(target, 'supply')
      expect(await failDeadRuns(database, NOW)).toBe(0)
      await killHolder(killed)
      const env = { NODE_ENV: 'production', SCHEDULE: 'off', DATABASE_URL: target.url, ...OWN_SECRETS }
      const prepared = await prepare(loadConfig(env), createLogger('silent'))
      await prepared.sqlGuard.stop() // else it goes on twice a second, without its database, until the worker ends
      await prepared.database.close()
      expect(await runsOf(database)).toEqual([KILLED, { status: 'running', error: null }])
    })

    it('is marked failed once by simultaneous starts', async () => {
      await killHolder(await startRunning(target))
      const marked = await Promise.all(Array.from({ length: 4 }, () => failDeadRuns(database, NOW)))
      expect(marked.reduce((sum, count) => sum + count)).toBe(1)
    })
  })
})
