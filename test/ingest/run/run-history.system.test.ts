import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAsOf } from '../../../src/core/as-of.js'
import { fixedClock, parseIsoDate } from '../../../src/core/time.js'
import { loadCurrencies, loadRates } from '../../../src/domains/forex/store.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { type RunDeps, type RunProgress, runFeed } from '../../../src/ingest/run/run-feed.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const T1 = '2026-11-20T15:30:00.000Z'
const T2 = '2026-11-20T16:30:00.000Z'
const history = findFeed('ecb-history')
const log = createLogger('silent')
const day = (text: string) => parseIsoDate(text) ?? expect.fail(`${text} is not a date`)
const sample = samplePath('ecb/eurofxref-hist.csv')

describe.each(availableDatabases())('the official history on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())

  const deps = (at: string): RunDeps => ({
    database,
    clock: fixedClock(at),
    fetchBody: () => expect.fail('nothing is fetched'),
    log,
  })
  const rates = async (quote: string, asOf: Date | null = null) =>
    (
      await loadRates(database, {
        quotes: [quote],
        from: day('1999-01-04'),
        to: day('2026-12-31'),
        asOf: createAsOf(asOf),
      })
    ).get(quote)

  it.skipIf(sample === null)(
    'is loaded whole, and again without any change',
    { timeout: 300_000 },
    async () => {
      const path = sample ?? ''
      await seedWorld(database, SEEDED_AT, ['forex'])
      const progress: RunProgress[] = []
      const first = await runFeed(deps(T1), history, { kind: 'file', path }, (step) => progress.push(step))
      const expected = countsOf(readFileSync(path, 'utf8'))
      const total = [...expected.values()].reduce((sum, { count }) => sum + count, 0)
      expect(total).toBeGreaterThan(184_000)
      expect(first).toMatchObject({
        rows: total,
        added: total,
        revised: 0,
        unchanged: 0,
        rejected: 0,
        removedSeed: 36_479,
      })
      expect(progress.length).toBe(Math.ceil(total / 5_000))
      expect(progress.at(-1)).toEqual({ fraction: 1, rows: total, rejected: 0 })
      const stored = await database.rows<{ quote: string; count: number }>(
        'select quote, count(*) as count, min(date) as first, max(date) as last from forex_rate group by quote',
      )
      expect(new Map(stored.map(({ quote, ...facts }) => [quote, facts]))).toEqual(expected)
      const ends = new Map(
        (await loadCurrencies(database, null)).map(({ quote, lastDate }) => [quote, lastDate]),
      )
      expect([ends.get('BGN'), ends.get('HRK'), ends.get('RUB')]).toEqual([
        '2025-12-31',
        '2022-12-30',
        '2022-03-01',
      ])
      const again = await runFeed(deps(T2), history, { kind: 'file', path })
      expect(again).toMatchObject({ added: 0, revised: 0, unchanged: total })
      const changed = readFileSync(path, 'utf8').replace('1999-01-04,1.1789,', '1999-01-04,1.1790,')
      const revised = await runFeed(deps('2026-11-20T17:30:00Z'), history, {
        kind: 'bytes',
        bytes: Buffer.from(changed),
        origin: 'changed',
      })
      expect(revised).toMatchObject({ added: 0, revised: 1, unchanged: total - 1 })
      expect((await rates('USD'))?.[0]).toEqual({ date: '1999-01-04', rate: 1.179 })
      expect((await rates('USD', new Date(T2)))?.[0]).toEqual({ date: '1999-01-04', rate: 1.1789 })
    },
  )
})

/** Count, first and last day of each column, read off the file by other means than the parser's. */
function countsOf(text: string): Map<string, { count: number; first: string; last: string }> {
  const [header = '', ...lines] = text.trim().split('\n')
  const days = lines.map((line) => line.split(','))
  const columns = header.split(',').map((quote, at) => {
    const dates = days.filter((cells) => cells[at] !== 'N/A').map((cells) => cells[0] ?? '')
    return [quote, { count: dates.length, first: dates.at(-1) ?? '', last: dates[0] ?? '' }] as const
  })
  return new Map(columns.slice(1, -1))
}
