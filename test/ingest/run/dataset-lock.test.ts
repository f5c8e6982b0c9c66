import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { DatasetBusy } from '../../../src/ingest/run/dataset-lock.js'
import { runOneInLedger } from '../../../src/ingest/run/run.js'
import { type Database, type DatabaseTarget, openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import { type Child, startChild } from '../../support/processes/child.js'

const RUN = resolve(import.meta.dirname, '../children/run-until-killed.ts')
const COUNTS = { added: 0, revised: 0, unchanged: 0, rejected: 0, rejections: [] }

describe.runIf(availableDatabases().includes('postgres'))(
  'a run while another of its dataset is under way',
  () => {
    let target: Extract<DatabaseTarget, { kind: 'postgres' }>
    let database: Database
    let other: Child
    beforeEach(async () => {
      target = { kind: 'postgres', url: await copyPostgresWorld('empty'), poolSize: 2 }
      database = await openDatabase(target)
      other = await startChild(RUN, [JSON.stringify(target)])
      expect(await other.line()).toBe('waiting')
    })
    afterEach(async () => {
      await other.kill('SIGKILL')
      await database.close()
      await dropPostgresDatabase(target.url)
    })

    const run = (dataset: 'forex' | 'supply', mayWait: boolean) => {
      const deps = { database, clock: systemClock, log: createLogger('silent'), mayWait }
      const feed = { id: 'by-hand', provider: { id: 'test' }, dataset }
      return runOneInLedger(deps, { feed, origin: 'test' }, async (open) => {
        await open.succeed(database, COUNTS)
        return 'done'
      })
    }

    it('is refused if it may not wait, with the name of the other, and leaves no row', async () => {
      const refused = run('forex', false)
      await expect(refused).rejects.toThrow(DatasetBusy)
      await expect(refused).rejects.toThrow(
        /^forex already has a run in progress: ecb-history, since 20.*Z; try again after it ends$/,
      )
      expect(await database.rows('select feed from ingest_run')).toEqual([{ feed: 'ecb-history' }])
      expect(await run('supply', false)).toBe('done')
    })

    it('waits for the end of the other, even of a process that was killed', async () => {
      const waiting = run('forex', true)
      await other.kill('SIGKILL')
      expect(await waiting).toBe('done')
      const rows = await database.rows('select feed, status from ingest_run order by started_at')
      expect(rows).toEqual([
        { feed: 'ecb-history', status: 'failed' },
        { feed: 'by-hand', status: 'succeeded' },
      ])
    })
  },
)
