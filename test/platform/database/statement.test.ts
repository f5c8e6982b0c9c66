import { describe, expect, it } from 'vitest'
import { declaredStatements, statement } from '../../../src/platform/database/statement.js'

describe('a declared statement', () => {
  it('counts once, however often it is declared', () => {
    statement({ n: 'int4' }, 'select 1 as n')
    const before = declaredStatements().length
    for (let time = 0; time < 2_000; time++) statement({ n: 'int4' }, 'select 1 as n')
    expect(declaredStatements().length).toBe(before)
  })

  it('has the same columns wherever it is declared', () => {
    statement({ n: 'int4' }, 'select 1 as n')
    expect(() => statement({ n: 'text' }, 'select 1 as n')).toThrow('declared twice, with different columns')
  })
})
