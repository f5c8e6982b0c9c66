import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOutdatedWindows } from '../../../src/ingest/candles/outdated-windows.js'
import type { Database, Sql } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

describe.each(availableDatabases())('outdated windows on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  it('are found by the hour, so that the cost does not grow with all bars of the stablecoins', async () => {
    const plan: string[] = []
    const explaining: Sql = {
      rows: async <Row>(sql: string, parameters?: readonly unknown[]) => {
        const lines = await database.rows<{ readonly 'QUERY PLAN': string }>(`explain ${sql}`, parameters)
        plan.push(...lines.map((line) => line['QUERY PLAN']))
        return [] as readonly Row[]
      },
    }
    const windows = [{ timeframe: '1h', ts: new Date('2026-11-20T00:00:00Z') }] as const
    await loadOutdatedWindows(explaining, 1, windows, null)
    const scans = plan.flatMap((line, at) => (/Scan.* on minute_bar_/.test(line) ? [at] : []))
    expect(scans.length).toBeGreaterThan(0)
    for (const at of scans) expect(plan.slice(at, at + 3).join('\n')).toMatch(/Index Cond: .*ts >= w\.ts/)
  })
})
