import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../../support/database/database.js'
import { createdNames, expandFaults, lockedTables, type MigrationFile } from './expand-faults.js'

const RELEASES = resolve(import.meta.dirname, '../../backup/releases')

const files: readonly MigrationFile[] = readdirSync(MIGRATIONS)
  .filter((name) => /^\d{14}_/.test(name))
  .sort()
  .map((name) => ({ name, sql: readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8') }))

/** Names of the migrations of the last release, from its backup. */
function releasedMigrations(): ReadonlySet<string> {
  const newest = readdirSync(RELEASES)
    .filter((name) => name.endsWith('.backup'))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
  const [line = ''] = gunzipSync(readFileSync(join(RELEASES, newest ?? '')))
    .toString()
    .split('\n')
  const { migrations } = JSON.parse(line) as { migrations: readonly { name: string }[] } // our own file
  return new Set(migrations.map(({ name }) => name))
}

const released = releasedMigrations()
const releasedNames = createdNames(files.filter(({ name }) => released.has(name)))
const later = files.filter(({ name }) => !released.has(name))

describe('migrations after the last release', () => {
  it('are those after the newest backup of a release', () => {
    expect([...released]).toEqual(['20261128120000_baseline'])
    expect(releasedNames).toContain('account_email_password_hash_key')
    expect([...released].filter((name) => !files.some((file) => file.name === name))).toEqual([])
    expect(later.length).toBe(files.length - released.size)
  })

  it('remove nothing that nodes of the last release use, unless their name ends with _contract', () => {
    const faults = later
      .filter(({ name }) => !name.endsWith('_contract'))
      .flatMap((file) => expandFaults(file, releasedNames).map((fault) => [file.name, fault] as const))
    expect(faults).toEqual([])
  })

  it('say in the first line what they lock, and for how long', () => {
    const silent = later.filter(({ sql }) => !/^-- Locks: \S.{8}/.test(sql))
    expect(silent.map(({ name }) => name)).toEqual([])
  })

  it('lock one table of the last release at most: with two, a request that reads both could have a deadlock', () => {
    const several = later.filter((file) => lockedTables(file, releasedNames).length > 1)
    expect(several.map(({ name }) => name)).toEqual([])
    const two = {
      name: '',
      sql: 'ALTER TABLE account ADD COLUMN note TEXT; CREATE INDEX a ON "api_key" (label);',
    }
    expect(lockedTables(two, releasedNames)).toEqual(['account', 'api_key'])
  })

  it('have a name of small letters, which tells expand from contract', () => {
    expect(files.filter(({ name }) => !/^\d{14}(_[a-z0-9]+)+$/.test(name))).toEqual([])
  })
})

describe('expandFaults', () => {
  const known = createdNames([
    {
      name: '1',
      sql: 'CREATE TABLE "account" (email TEXT, CONSTRAINT "account_pkey" PRIMARY KEY (id)); CREATE UNIQUE INDEX account_email ON account(email);',
    },
  ])

  it.each([
    ['DROP TABLE account', 'drops'],
    ['DROP INDEX "account_email"', 'drops'],
    ['ALTER TABLE "account" DROP COLUMN "email"', 'drops'],
    ['ALTER TABLE account DROP CONSTRAINT account_pkey', 'drops'],
    ['ALTER TABLE account RENAME COLUMN email TO mail', 'renames'],
    ['ALTER TABLE account RENAME TO accounts', 'renames'],
    ['ALTER TABLE account ALTER COLUMN email SET DATA TYPE CITEXT', 'changes a type'],
    ['ALTER TABLE account ALTER email TYPE CITEXT', 'changes a type'],
    ['ALTER TABLE account ALTER COLUMN email SET NOT NULL', 'refuses nulls'],
    ['ALTER TABLE account ALTER COLUMN email DROP DEFAULT', 'drops a default'],
    ['ALTER TABLE account ADD COLUMN note TEXT NOT NULL', 'adds a column'],
    ['ALTER TABLE account ADD COLUMN a INT NOT NULL DEFAULT 1, ADD COLUMN b INT NOT NULL', 'adds a column'],
    ['CREATE UNIQUE INDEX other ON account (email)', 'refuses rows'],
    ['ALTER TABLE account ADD CONSTRAINT short CHECK (length(email) < 9)', 'refuses rows'],
  ])('finds: %s', (sql, fault) => {
    expect(expandFaults({ name: '2', sql }, known)).toEqual([expect.stringContaining(fault)])
  })

  it.each([
    'ALTER TABLE account ADD COLUMN note TEXT',
    'ALTER TABLE account ADD COLUMN note TEXT NOT NULL DEFAULT 1',
    "ALTER TABLE account ADD COLUMN note TEXT DEFAULT 'a' NOT NULL",
    'ALTER TABLE account ADD COLUMN note INT, ADD CONSTRAINT positive CHECK (note > 0)',
    'ALTER TABLE account ALTER COLUMN email DROP NOT NULL',
    'CREATE INDEX other ON account (email)',
    'DROP TABLE event; DROP INDEX event_place',
    'CREATE TABLE event (id INT, CONSTRAINT event_account FOREIGN KEY (id) REFERENCES account (id))',
    'ALTER TABLE event ADD CONSTRAINT event_account FOREIGN KEY (id) REFERENCES account (id)',
    '-- DROP TABLE account',
    'CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE account; $$ LANGUAGE sql',
  ])('takes: %s', (sql) => {
    expect(expandFaults({ name: '2', sql }, known)).toEqual([])
  })
})
