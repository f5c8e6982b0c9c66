import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../../src/platform/database/database.js'
import { migrate } from '../../../../src/platform/database/migrate.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../../../support/database/database.js'
import { eventually } from '../../../support/eventually.js'

describe.skipIf(!availableDatabases().includes('postgres'))(
  'a migration of a table that is being read',
  () => {
    let url: string
    let database: Database
    let app: TestApp
    let directory: string
    let reader: pg.Client

    beforeAll(async () => {
      url = await copyPostgresWorld('empty')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 6 })
      app = await startTestApp('postgres', { database })
      directory = mkdtempSync(join(tmpdir(), 'migrations-'))
      reader = new pg.Client({ connectionString: url })
      await reader.connect()
    })
    afterAll(async () => {
      await reader?.end()
      await app?.close()
      await database?.close()
      if (url) await dropPostgresDatabase(url)
      if (directory) rmSync(directory, { recursive: true })
    })

    function addMigration(name: string, sql: string): void {
      mkdirSync(join(directory, name))
      writeFileSync(join(directory, name, 'migration.sql'), sql)
    }
    const columns = () =>
      database.rows(`select attname::text as name from pg_attribute
      where attrelid = 'asset'::regclass and attname like 'added%' and not attisdropped order by 1`)

    it('lets other requests read while it waits for an open transaction, and is applied after it', async () => {
      addMigration('20990101000000_add', 'ALTER TABLE asset ADD COLUMN added_1 int')
      await reader.query('begin')
      await reader.query('select count(*) from asset')
      const blocked: string[] = []
      let isOver = false
      const migrating = migrate(database, directory, { onBlocked: (name) => blocked.push(name) }).finally(
        () => {
          isOver = true
        },
      )
      // A read that waits behind the migration for longer than a statement of a request may take throws.
      while (blocked.length < 2) {
        await database.rows('select count(*) from asset')
        await sleep(50)
      }
      expect(isOver).toBe(false)
      await reader.query('commit')
      expect(await migrating).toEqual(['20990101000000_add'])
      expect(blocked).toContain('20990101000000_add')
      expect(await columns()).toEqual([{ name: 'added_1' }])
    })

    it('fails with its name after it was blocked for too long, and leaves nothing', async () => {
      addMigration('20990102000000_blocked', 'ALTER TABLE asset ADD COLUMN added_2 int')
      await reader.query('begin')
      await reader.query('select count(*) from asset')
      await expect(migrate(database, directory, { patienceMs: 0 })).rejects.toThrow(
        /Migration 20990102000000_blocked failed and left nothing behind: .*lock timeout/,
      )
      await reader.query('commit')
      expect(await columns()).toEqual([{ name: 'added_1' }])
      expect(await migrate(database, directory)).toEqual(['20990102000000_blocked'])
    })

    it('makes a node not ready while it keeps requests from the table', async () => {
      addMigration('20990103000000_long', 'ALTER TABLE asset ADD COLUMN added_3 int; SELECT pg_sleep(3)')
      expect((await app.rest('/readyz')).status).toBe(200)
      const migrating = migrate(database, directory)
      await eventually(async () => {
        const { status, body } = await app.rest('/readyz')
        expect([status, body]).toEqual([
          503,
          { status: 'not_ready', checks: { database: 'ok', migrations: 'failed' } },
        ])
      })
      expect(app.logLines.join('')).toContain('a migration locks asset')
      await migrating
      expect((await app.rest('/readyz')).status).toBe(200)
    })

    it('keeps a node ready if it locks no existing table', async () => {
      addMigration('20990104000000_new', 'CREATE TABLE added_table (a int); SELECT pg_sleep(1)')
      const migrating = migrate(database, directory)
      await sleep(400)
      expect((await app.rest('/readyz')).status).toBe(200)
      await migrating
    })
  },
)
