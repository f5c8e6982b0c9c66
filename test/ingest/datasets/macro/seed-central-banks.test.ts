import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../../support/database/database.js'

const NOVEMBER = new Date('2026-11-20T12:00:00Z')
const MONDAY = new Date('2026-11-23T12:00:00Z')

interface Count {
  readonly provider: string
  readonly frequency: string
  readonly series: number
  readonly rows: number
  readonly newest: string
}

describe('the seed of the central banks', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'empty')
  })
  afterAll(() => database?.close())

  const counts = async (provider: string) => {
    const found = await database.rows<Count>(
      `select s.frequency, count(distinct s.series_id)::int as series,
         (count(*) / count(distinct s.series_id))::int as rows, max(o.period_start)::text as newest
       from macro_series as s join macro_observation as o using (series_id)
       where s.provider = $1 and s.is_headline and s.source = 'seed' and s.unit is not null
         and s.description is not null and o.known_to is null and o.value is not null
       group by s.frequency order by s.frequency`,
      [provider],
    )
    return found.map(({ frequency, series, rows, newest }) => `${frequency} ${series} ${rows} ${newest}`)
  }

  it('is twelve series each, of days, months, quarters and years', async () => {
    const { boj, bok } = await seedWorld(database, NOVEMBER, ['boj', 'bok'])
    expect(boj).toMatchObject({ revised: 1, rejected: 0 })
    expect(bok).toMatchObject({ revised: 1, rejected: 0 })
    expect(await counts('boj')).toEqual([
      'daily 4 535 2026-11-19',
      'monthly 7 190 2026-10-01',
      'quarterly 1 63 2026-07-01',
    ])
    expect(await counts('bok')).toEqual([
      'annual 1 15 2025-01-01',
      'daily 5 535 2026-11-19',
      'monthly 4 190 2026-10-01',
      'quarterly 2 63 2026-07-01',
    ])
  })

  it('is the same when created again, and on a later day adds the days between', async () => {
    const again = await seedWorld(database, NOVEMBER, ['boj', 'bok'])
    expect([again.boj, again.bok]).toEqual([null, null])
    const { boj, bok } = await seedWorld(database, MONDAY, ['boj', 'bok'])
    expect(boj).toMatchObject({ added: 4, revised: 0, rejected: 0 })
    expect(bok).toMatchObject({ added: 5, revised: 0, rejected: 0 })
  })
})
