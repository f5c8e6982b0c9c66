import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadForeignKeys } from '../../../src/platform/backup/catalogue.js'
import type { Database } from '../../../src/platform/database/database.js'
import { pendingMigrations } from '../../../src/platform/database/migrate.js'
import { availableDatabases, databasesOfFile, MIGRATIONS } from '../../support/database/database.js'
import { hashesOf, inBlank, restoreFile, save } from './backup-world.js'

const seeded = databasesOfFile('seeded')
const KINDS = availableDatabases()

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-backup-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe.each(KINDS)('a backup of %s', { timeout: 120_000 }, (from) => {
  let source: Database
  let path: string
  let rows: number
  let hashes: Readonly<Record<string, string>>
  beforeAll(async () => {
    source = await seeded(from)
    path = join(home, from)
    rows = (await save(source, path)).rows
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    hashes = await hashesOf(source)
  }, 300_000)

  it.each(KINDS)('has the same rows, rules and counters, restored into %s', async (to) => {
    await inBlank(to, async (database) => {
      const { tables, foreign } = await restoreFile(database, path)
      expect(foreign).toEqual([])
      expect([...tables.values()].reduce((sum, count) => sum + count, 0)).toBe(rows)
      expect(rows).toBeGreaterThan(10_000)
      expect(await hashesOf(database)).toEqual(hashes)
      expect(await loadForeignKeys(database)).toEqual(await loadForeignKeys(source))
      expect(await pendingMigrations(database, MIGRATIONS)).toEqual([])
      await expect(database.rows("update analysis_snapshot set content = '{}'")).rejects.toThrow(
        /append-only/,
      )
      await expect(database.rows('delete from asset where slug = $1', ['bitcoin'])).rejects.toThrow(
        /foreign key/,
      )
      const [next] = await database.rows<{ isNew: boolean }>(
        `select nextval('macro_series_series_id_seq') > (select max(series_id) from macro_series) as "isNew"`,
      )
      expect(next).toEqual({ isNew: true })
    })
  })
})
