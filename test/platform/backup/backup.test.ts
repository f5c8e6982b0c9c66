import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withBackupFile, writeBackupFile } from '../../../src/platform/backup/backup-file.js'
import { type BackupSource, withDatabaseSource } from '../../../src/platform/backup/backup-source.js'
import { restore } from '../../../src/platform/backup/restore.js'
import type { Database } from '../../../src/platform/database/database.js'
import { pendingMigrations } from '../../../src/platform/database/migrate.js'
import { availableDatabases, MIGRATIONS, openTestDatabase } from '../../support/database/database.js'
import { ACCOUNTS, filledTables, hashesOf, inBlank, NEVER, restoreFile, save } from './backup-world.js'

const KINDS = availableDatabases()

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-backup-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe.each(KINDS)('a restore into %s', { timeout: 120_000 }, (kind) => {
  let path: string
  let lines: readonly string[]
  let hashes: Readonly<Record<string, string>>
  beforeAll(async () => {
    path = join(home, `small-${kind}`)
    const database = await openTestDatabase(kind)
    await database.rows(ACCOUNTS)
    await save(database, path)
    hashes = await hashesOf(database)
    await database.close()
    lines = gunzipSync(await readFile(path))
      .toString()
      .trimEnd()
      .split('\n')
  })

  /** A migrated database without a row. */
  async function inEmpty<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openTestDatabase(kind)
    return work(database).finally(() => database.close())
  }

  /** Restores other lines; the refusal, after which the database must be as empty as before. */
  async function refusalOf(changed: readonly string[]): Promise<string> {
    const other = `${path}-changed`
    await writeFile(other, gzipSync(`${changed.join('\n')}\n`))
    return inEmpty(async (database) => {
      const refusal = await restoreFile(database, other).then(
        () => 'restored',
        (error) => String(error),
      )
      if (refusal !== 'restored') {
        expect(await filledTables(database)).toEqual([])
      }
      return refusal
    })
  }

  it('keeps every character of a text', async () => {
    await inEmpty(async (database) => {
      await restoreFile(database, path)
      expect(await hashesOf(database)).toEqual(hashes)
    })
  })

  it('refuses a backup that is cut, and one whose rows were changed, doubled or moved', async () => {
    const at = lines.findIndex((line) => line.includes('"table":"account","rows"'))
    const end = lines.findIndex((line) => line.includes('"table":"account","end"'))
    const account = lines[at] ?? ''
    expect(end).toBeGreaterThan(at)
    expect(await refusalOf(lines.slice(0, end))).toMatch(/cut: the table account is not complete/)
    expect(await refusalOf(lines.slice(0, -1))).toMatch(/cut: the table \w+ is not complete/)
    expect(await refusalOf(lines.with(at, account.replace('free', 'pro')))).toMatch(
      /damaged: account should have 700 rows/,
    )
    expect(await refusalOf(lines.toSpliced(at, 1))).toMatch(/damaged: account should have 700 rows/)
    expect(await refusalOf(lines.toSpliced(end + 1, 0, account))).toMatch(
      /damaged: rows of account are at a wrong place/,
    )
    expect(await refusalOf(lines.toSpliced(at, 0, '{"table":"none","rows":[]}'))).toMatch(
      /damaged: rows of none/,
    )
    expect(await refusalOf(lines.toSpliced(at, 0, 'x'))).toMatch(/damaged: a line is not a part/)
    expect(await refusalOf(lines)).toBe('restored')
  })

  it('refuses files that are cut anywhere, and files of another kind', async () => {
    const whole = await readFile(path)
    const other = join(home, `other-${kind}`)
    const bodies = [
      ...[0, 10, 500, 0.5 * whole.length, whole.length - 9].map((bytes) => whole.subarray(0, bytes)),
      Buffer.from('not a backup'),
      gzipSync('{"format":"another"}\n'),
    ]
    for (const body of bodies) {
      await writeFile(other, body)
      await inEmpty(async (database) => {
        await expect(restoreFile(database, other)).rejects.toThrow(/is not a backup|is cut/)
        expect(await filledTables(database)).toEqual([])
      })
    }
  })

  it('finds a migrated database empty', async () => {
    await inEmpty(async (database) => expect(await filledTables(database)).toEqual([]))
  })

  it('refuses a database with one row, and a backup of a newer version', async () => {
    await inEmpty(async (database) => {
      await database.rows('insert into installation (id, production_since) values (1, now())')
      await expect(restoreFile(database, path)).rejects.toThrow(
        /installation has rows: a backup is restored into an empty/,
      )
    })
    const header = JSON.parse(lines[0] ?? '')
    const newer = {
      ...header,
      migrations: [...header.migrations, { name: '29990101000000_later', checksum: 'x' }],
    }
    expect(await refusalOf(lines.with(0, JSON.stringify(newer)))).toMatch(
      /29990101000000_later this version lacks/,
    )
  })

  it('names a table that somebody else made in the schema, and restores the others', async () => {
    const header = JSON.parse(lines[0] ?? '')
    const table = { name: 'zz_mine', columns: ['a'], generated: [] }
    const more = ['{"table":"zz_mine","rows":["(1)"]}', '{"table":"zz_mine","end":{"rows":1,"sum":"0"}}']
    const other = `${path}-foreign`
    const sequences = [...header.sequences, { name: 'zz_mine_a_seq', lastValue: '7' }]
    const changed = [
      JSON.stringify({ ...header, sequences, tables: [...header.tables, table] }),
      ...lines.slice(1),
      ...more,
    ]
    await writeFile(other, gzipSync(`${changed.join('\n')}\n`))
    await inEmpty(async (database) => {
      expect(await restoreFile(database, other)).toMatchObject({ foreign: ['zz_mine'] })
      expect(await hashesOf(database)).toEqual(hashes)
    })
  })

  it('brings a backup of an older version to this one', async () => {
    const next = join(home, `next-${kind}`)
    await cp(MIGRATIONS, next, { recursive: true })
    await mkdir(join(next, '20990101000000_note'))
    await writeFile(
      join(next, '20990101000000_note/migration.sql'),
      'ALTER TABLE account ADD COLUMN note TEXT;',
    )
    await inBlank(kind, async (database) => {
      await withBackupFile(path, (source) => restore(database, source, next))
      expect(await pendingMigrations(database, next)).toEqual([])
      expect(await database.rows('select count(*)::int4 as n, count(note) as notes from account')).toEqual([
        { n: 700, notes: 0 },
      ])
    })
  })
})

describe('the file of a backup', () => {
  it('never replaces another file, and leaves nothing when it is interrupted', async () => {
    const database = await openTestDatabase('pglite')
    const path = join(home, 'once')
    await writeFile(path, 'kept')
    await expect(save(database, path)).rejects.toThrow(/EEXIST/)
    expect(await readFile(path, 'utf8')).toBe('kept')
    const controller = new AbortController()
    const interrupted = withDatabaseSource(database, (source) => {
      const stopping: BackupSource = {
        ...source,
        read: (write) =>
          source.read(async (part) => {
            if (part.table === 'asset') controller.abort(new Error('interrupted here'))
            await write(part)
          }),
      }
      return writeBackupFile(join(home, 'interrupted'), stopping, controller.signal)
    })
    await expect(interrupted).rejects.toThrow('interrupted here')
    expect((await readdir(home)).filter((name) => /interrupted|partial/.test(name))).toEqual([])
    await database.close()
  })

  it.skipIf(!KINDS.includes('postgres'))(
    'has one state of the database, whatever is committed meanwhile',
    async () => {
      const database = await openTestDatabase('postgres')
      await database.rows(ACCOUNTS)
      const path = join(home, 'one-state')
      const written = await withDatabaseSource(database, async (source) => {
        await database.rows(ACCOUNTS)
        return writeBackupFile(path, source, NEVER)
      })
      expect(written.rows).toBe(700)
      await database.close()
    },
  )
})
