import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readWhole } from '../../../scripts/bench/growth/plans.js'
import type { ReadPath } from '../../../scripts/bench/growth/read-path.js'
import { scaleOf } from '../../../scripts/bench/growth/scale.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

describe.each(availableDatabases())('plans of reads on %s', (kind) => {
  let database: Database

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await database.script(`
      create table big as select n, n % 7 as rest from generate_series(1, 20000) as n;
      create unique index on big (n);
      create table small as select n from generate_series(1, 100) as n;`)
    await database.rows('vacuum (analyze)')
  })
  afterAll(() => database.close())

  const reading = (name: string, text: string): ReadPath => ({
    name,
    read: async (sql) => {
      await sql.rows(text)
    },
  })

  it('name a big table that a read scans completely, also in nested steps', async () => {
    const paths = [
      reading('by key', 'select * from big where n = 5'),
      reading('of a small table', 'select * from small'),
      reading(
        'a total',
        'select s.n, counted.total from small s, (select count(rest) as total from big) as counted',
      ),
    ]
    expect(await readWhole([{ database, scale: scaleOf(100_000) }], paths)).toEqual([
      'a total: sequential scan of big, 20000 rows',
    ])
  })
})
