import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadHeldAssets, loadHolders } from '../../../src/domains/etf/holder-store.js'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

describe.each(availableDatabases())('holdings and assets on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  it('are matched by indexes, so that the cost does not grow with all assets times all holdings', async () => {
    const plans: string[] = []
    await database.transaction(async (tx) => {
      // Tables without rows would be read as a whole.
      await tx.rows('set local enable_seqscan = off')
      const explaining: Sql = {
        rows: async <Row>(sql: string, parameters?: readonly unknown[]) => {
          const lines = await tx.rows<{ readonly 'QUERY PLAN': string }>(`explain ${sql}`, parameters)
          plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'))
          return [] as readonly Row[]
        },
      }
      await loadHolders(explaining, [1, 2], { limit: 20, offset: 0, day: null, knownAt: null })
      await loadHeldAssets(explaining, [{ reportId: 1, position: 1 }])
    })
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan on (instrument|etf_holding)/)
      expect(plan).toContain('instrument_lei_idx')
    }
  })
})
