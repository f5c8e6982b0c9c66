import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedBisBody } from '../../../../src/ingest/datasets/macro/seed-bis.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'

const NOVEMBER = new Date('2026-11-20T12:00:00Z')
const JANUARY = new Date('2027-01-02T12:00:00Z')

interface Count {
  readonly dataset: string
  readonly countries: number
  readonly least: number
  readonly most: number
  readonly newest: string
}

describe('the seed of the BIS', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'empty')
  })
  afterAll(() => database?.close())

  const counts = () =>
    database.rows<Count>(`
      select dataset, count(*)::int as countries, min(rows)::int as least, max(rows)::int as most, max(newest) as newest
      from (
        select s.dataset, s.series_id, count(*) as rows, max(o.period_start)::date as newest
        from macro_series as s join macro_observation as o using (series_id)
        where s.is_headline and s.source = 'seed' and s.unit is not null and o.known_to is null and not o.is_withdrawn
        group by s.dataset, s.series_id
      ) as of_series group by dataset order by dataset`)

  const added = 6 * 40 * 63 + 2 * 10 * 63 + 10 * 15

  it('is six tables of 40 countries, two of ten, and ten annual series; a quarter later adds one to each', async () => {
    const { bis } = await seedWorld(database, NOVEMBER, ['bis'])
    expect(bis).toMatchObject({ added, revised: 40, rejected: 0 })
    const codes = ['WS_CREDIT_GAP', 'WS_DSR', 'WS_EER', 'WS_LONG_CPI', 'WS_SPP', 'WS_TC']
    const all = { countries: 40, least: 63, most: 63, newest: '2026-07-01' }
    expect(await counts()).toEqual(
      [
        ...codes.map((dataset) => ({ dataset, ...all })),
        { dataset: 'WS_CBPOL', ...all, countries: 10 },
        { dataset: 'WS_LBS_D_PUB', ...all, countries: 10 },
      ].sort((a, b) => a.dataset.localeCompare(b.dataset)),
    )
    expect((await seedWorld(database, NOVEMBER, ['bis'])).bis).toBeNull()
    const later = await seedWorld(database, JANUARY, ['bis'])
    // A quarter of each table, and a year.
    expect(later.bis).toMatchObject({ added: 240 + 20 + 10, revised: 0, unchanged: added })
  })

  it('has annual series, amounts in billions of US dollars and a quarter without a value', async () => {
    const annual = await database.rows(
      `select s.series_key as key, s.unit, count(*)::int as years, max(o.period_start)::date as newest
       from macro_series as s join macro_observation as o using (series_id)
       where s.frequency = 'annual' and s.country = 'US' group by 1, 2`,
    )
    expect(annual).toEqual([{ key: 'A.US.628', unit: 'INDEX_2010=100', years: 16, newest: '2026-01-01' }])
    const [claims] = await database.rows<{ least: number; most: number; unit: string }>(
      `select min(o.value)::float as least, max(o.value)::float as most, min(s.unit) as unit
       from macro_series as s join macro_observation as o using (series_id) where s.dataset = 'WS_LBS_D_PUB'`,
    )
    expect(claims?.unit).toBe('USD_B')
    // Published in millions: 100 billion is a small centre, 10,000 a large one.
    expect(claims?.least).toBeGreaterThan(100)
    expect(claims?.most).toBeLessThan(10_000)
    const gaps = await database.rows(
      `select s.series_key as key, o.period_start::date as start from macro_series as s
       join macro_observation as o using (series_id) where o.value is null and not o.is_withdrawn`,
    )
    expect(gaps).toEqual([{ key: 'Q.ZA.P', start: '2015-07-01' }])
  })

  it('has no period that has not ended', () => {
    const text = new TextDecoder().decode(seedBisBody(new Date('2026-09-30T23:59:59Z')))
    expect(text).toContain('2026-Q2\n')
    expect(text).not.toContain('2026-Q3')
    expect(text).not.toContain('2026-07')
  })
})
