import { beforeAll, describe, expect, it } from 'vitest'
import { declaredStatements } from '../../../src/platform/database/statement.js'
import { importSources } from '../../support/source-files.js'

const MAX_HOT = 40
const LEAST_HOT = 2.5

describe('plain SQL', () => {
  beforeAll(importSources)

  it('has a case in every statement', () => {
    const cases = declaredStatements().map(({ plainSql }) => plainSql)
    expect(cases.length).toBeGreaterThan(100)
    expect(cases.filter((plainSql) => !/^(hot \d+(\.\d+)?|lacks [a-zA-Z -]+|bulk)$/.test(plainSql))).toEqual(
      [],
    )
    const counts = new Map<string, number>()
    for (const plainSql of cases) {
      const kind = plainSql.startsWith('hot') ? 'hot' : plainSql
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
    process.stdout.write(`${cases.length} statements: ${sorted.map((entry) => entry.join(' ')).join(', ')}\n`)
  })

  it('is hot in few statements, each of which takes Prisma’s client at least 2.5 times the CPU', () => {
    const hot = declaredStatements().filter(({ plainSql }) => plainSql.startsWith('hot '))
    expect(hot.length).toBeGreaterThan(1)
    expect(hot.length).toBeLessThanOrEqual(MAX_HOT)
    expect(hot.filter(({ plainSql }) => !(Number(plainSql.slice(4)) >= LEAST_HOT))).toEqual([])
  })
})
