import { describe, expect, it } from 'vitest'
import {
  declaredStatements,
  jsonOfRows,
  jsonRows,
  statement,
} from '../../../src/platform/database/statement.js'
import { openTestDatabase } from '../../support/database/database.js'

describe('a declared statement', () => {
  it('counts once, however often it is declared', () => {
    statement('lacks computed value', { n: 'int4' }, 'select 1 as n')
    const before = declaredStatements().length
    for (let time = 0; time < 2_000; time++) statement('lacks computed value', { n: 'int4' }, 'select 1 as n')
    expect(declaredStatements().length).toBe(before)
  })

  it('has the same columns wherever it is declared', () => {
    statement('lacks computed value', { n: 'int4' }, 'select 1 as n')
    expect(() => statement('lacks computed value', { n: 'text' }, 'select 1 as n')).toThrow(
      'declared twice, with different cases or columns',
    )
  })
})

describe('rows as JSON', () => {
  it('have no half of a surrogate pair, which PostgreSQL refuses', () => {
    const rows = [{ name: 'a\ud800b', other: '\udc00', whole: '😀 \\ud800 "' }]
    expect(JSON.parse(jsonOfRows(rows))).toEqual([
      { name: 'a\ufffdb', other: '\ufffd', whole: '😀 \\ud800 "' },
    ])
  })

  it('are read by PostgreSQL as the columns say', async () => {
    const database = await openTestDatabase('pglite')
    const columns = { name: 'text', at: 'timestamptz?', rate: 'numeric' } as const
    const read = statement(
      'lacks computed value',
      columns,
      `select name, at, rate from (${jsonRows(columns, '$1')}) as given`,
    )
    const at = new Date('2026-11-28T00:00:00Z')
    const rows = [
      { name: 'half \ud800', at, rate: '1.10' },
      { name: 'none', rate: '0.1234567890123456789' },
    ]
    expect(await database.rows(read, [jsonOfRows(rows)])).toEqual([
      { name: 'half \ufffd', at, rate: '1.10' },
      { name: 'none', at: null, rate: '0.1234567890123456789' },
    ])
    await database.close()
  })
})
