import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from './database.js'
import { interposed } from './interposed-database.js'

describe('an interposed database', () => {
  let plain: Database
  let database: Database
  const seen: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  beforeAll(async () => {
    plain = await openTestDatabase(quickestDatabase())
    database = interposed(plain, (sql, parameters = []) => void seen.push({ sql, parameters }))
  })
  afterAll(() => plain?.close())
  beforeEach(() => {
    seen.length = 0
  })

  it('reports a statement in plain SQL before it runs', async () => {
    await database.rows('select $1::int as one', [1])
    expect(seen).toEqual([{ sql: 'select $1::int as one', parameters: [1] }])
  })

  it('reports a call of Prisma by the table of its model, with its values', async () => {
    await database.prisma.macroSeries.findMany({ where: { provider: { in: ['boj', 'bok'] } } })
    expect(seen).toEqual([{ sql: 'prisma findMany macro_series', parameters: ['boj', 'bok'] }])
  })

  it('names the tables of relations that are selected, filtered or counted, at any depth', async () => {
    await database.prisma.webhookDelivery.findMany({
      where: { OR: [{ webhook: { key: { is: { label: 'a' } } } }] },
      select: { analysisChange: { select: { from: true } } },
    })
    await database.prisma.account.findMany({ select: { _count: { select: { keys: true } } } })
    await database.prisma.account.findMany({ select: { tier: true, keys: false } })
    expect(seen.map(({ sql }) => sql)).toEqual([
      'prisma findMany webhook_delivery webhook api_key analysis_change analysis_snapshot',
      'prisma findMany account api_key',
      'prisma findMany account',
    ])
  })

  it('reports raw statements of Prisma by their SQL', async () => {
    await database.prisma.$queryRaw`select ${1}::int as one`
    expect(seen).toEqual([{ sql: 'select ?::int as one', parameters: ['select ', '::int as one', 1] }])
  })
})
