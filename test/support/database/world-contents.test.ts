import { describe, expect, it } from 'vitest'
import { availableDatabases, openTestDatabase } from './database.js'
import { analyse, contentsOf, takenBack } from './world-contents.js'

const SIZE = `select relpages > 0 as "hasPages", reltuples::int as rows,
    exists (select from pg_statistic where starelid = c.oid) as "hasStatistics",
    pg_stat_get_mod_since_analyze(c.oid)::int as changes
  from pg_class as c where oid = 'venue_rate'::regclass`

describe.each(availableDatabases())('a database of tests on %s', (kind) => {
  it('forgets that tables were analysed while they were empty', async () => {
    const database = await openTestDatabase(kind)
    try {
      const before = await contentsOf(database)
      await database
        .transaction(async (tx) => {
          await tx.rows(`insert into venue_rate (venue, next_at) values ('kraken', now())`)
          throw new Error('rolled back')
        })
        .catch(() => {})
      expect(before.unanalysed).toContain('minute_bar')
      await database.rows('analyze')
      expect((await contentsOf(database)).unanalysed).toEqual([])
      await takenBack(database, before)
      const filled = before.tables.flatMap(({ name, rows }) => (rows > 0 ? [name] : []))
      const empty = before.unanalysed.filter((name) => !filled.includes(name))
      expect((await contentsOf(database)).unanalysed).toEqual(empty)
    } finally {
      await database.close()
    }
  })

  it('is handed on with tables that the planner takes for new ones', async () => {
    const database = await openTestDatabase(kind)
    try {
      const before = await contentsOf(database)
      await database.rows(
        `insert into venue_rate (venue, next_at) select 'venue ' || n, now() from generate_series(1, 500) as n`,
      )
      await database.rows('delete from venue_rate')
      await database.rows(`insert into venue_rate (venue, next_at) values ('kraken', now())`)
      await analyse(database, ['venue_rate'])
      expect(await database.rows(SIZE)).toEqual([
        { hasPages: true, rows: 1, hasStatistics: true, changes: 0 },
      ])
      const after = await takenBack(database, before)
      expect(after?.tables).toEqual(before.tables)
      expect(await database.rows(SIZE)).toEqual([
        { hasPages: false, rows: -1, hasStatistics: false, changes: 0 },
      ])
    } finally {
      await database.close()
    }
  })
})
