import { describe, expect, it } from 'vitest'
import { availableDatabases, openTestDatabase } from './database.js'
import { contentsOf, takenBack } from './world-contents.js'

const SIZE = `select relpages > 0 as "hasPages", reltuples::int as rows,
    exists (select from pg_statistic where starelid = c.oid) as "hasStatistics"
  from pg_class as c where oid = 'venue_rate'::regclass`

describe.each(availableDatabases())('a database of tests on %s', (kind) => {
  it('is handed on with tables that the planner takes for new ones', async () => {
    const database = await openTestDatabase(kind)
    try {
      const before = await contentsOf(database)
      await database.rows(
        `insert into venue_rate (venue, next_at) select 'venue ' || n, now() from generate_series(1, 500) as n`,
      )
      await database.rows('delete from venue_rate')
      await database.rows(`insert into venue_rate (venue, next_at) values ('kraken', now())`)
      await database.rows('vacuum analyze venue_rate')
      expect(await database.rows(SIZE)).toEqual([{ hasPages: true, rows: 1, hasStatistics: true }])
      const after = await takenBack(database, before)
      expect(after?.tables).toEqual(before.tables)
      expect(await database.rows(SIZE)).toEqual([{ hasPages: false, rows: -1, hasStatistics: false }])
    } finally {
      await database.close()
    }
  })
})
