import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { quotedName, quotedText } from '../../../../src/platform/database/sql-roles/quoted.js'
import { createRole, disableRole } from '../../../../src/platform/database/sql-roles/role-statements.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'

const HOSTILE = [
  'plain',
  `"; drop table account; --`,
  `it's`,
  `''; drop table account; --`,
  `\\'; drop table account; --`,
  `a\\`,
  '$1 $$ $a$',
  'ÄÖ 試験 😀',
  'line\nbreak\ttab',
  '/* database */ -- and another',
]

describe.each(availableDatabases())('names and texts in statements on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  it.each(HOSTILE)('return as they were given: %j', async (given) => {
    const [row] = await database.rows<Record<string, string>>(
      `select ${quotedText(given)} as ${quotedName(given)}`,
    )
    expect(row).toEqual({ [given]: given })
  })

  it('mean the same if backslashes escape', async () => {
    const read = await database.transaction(async (tx) => {
      await tx.script('set local standard_conforming_strings to off')
      return tx.rows<{ text: string }>(`select ${quotedText("a\\' b")} as text`)
    })
    expect(read).toEqual([{ text: "a\\' b" }])
  })
})

describe('names and texts', () => {
  it('are refused with U+0000, if empty, and if PostgreSQL would cut them', () => {
    for (const name of ['', 'a\0b', 'x'.repeat(64), 'é'.repeat(32)]) {
      expect(() => quotedName(name)).toThrow(/a name in SQL has 1 to 63 bytes/)
    }
    expect(quotedName('x'.repeat(63))).toBe(`"${'x'.repeat(63)}"`)
    expect(() => quotedText('a\0')).toThrow(/U\+0000/)
  })

  it('of foreign roles change nothing', () => {
    const role = {
      verifier: 'v',
      expiresAt: new Date('2027-01-01T00:00:00Z'),
      group: 'star_reader_1',
      views: [],
      database: 'd',
    }
    for (const name of ['postgres', 'sql_', 'sql_0123456', 'sql_0123456G', 'sql_01234567"', 'SQL_01234567']) {
      expect(() => disableRole(name)).toThrow(/is not a role of the gateway/)
      expect(() => createRole({ ...role, name }, false)).toThrow(/is not a role of the gateway/)
    }
    expect(disableRole('sql_0123abcd')).toBe('ALTER ROLE "sql_0123abcd" NOLOGIN')
  })
})
