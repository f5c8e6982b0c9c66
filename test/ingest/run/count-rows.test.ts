import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import '../../../src/schema.js'
import { registeredDatasets } from '../../../src/core/datasets.js'
import { loadExtents } from '../../../src/domains/datasets/extent-store.js'
import { countRows } from '../../../src/ingest/run/count-rows.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const LOG = { error: (facts: object) => expect.fail(JSON.stringify(facts)) }

describe.each(availableDatabases())('the rows of datasets on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await database.rows(
      `insert into forex_rate (quote, date, rate, known_from, known_to, source) values
         ('USD', '2001-02-03', 1, '2001-02-03T15:00Z', '2001-02-04T15:00Z', 'ecb'),
         ('USD', '2001-02-03', 2, '2001-02-04T15:00Z', null, 'ecb'),
         ('JPY', '2010-01-04', 3, '2010-01-04T15:00Z', null, 'ecb')`,
    )
    await database.rows(
      `insert into legal_entity (lei, legal_name, known_from, source)
       values ('HWUPKR0MPOU8FGXBT394', 'Apple Inc.', now(), 'gleif')`,
    )
  })
  afterAll(() => database?.close())

  it('are counted for every dataset, all versions, with the first day that they are about', async () => {
    await countRows(database, NOW, LOG)
    const extents = await loadExtents(database)
    expect([...extents.keys()].toSorted()).toEqual(registeredDatasets())
    expect(extents.get('forex')).toEqual({
      dataset: 'forex',
      rows: 3n,
      since: new Date('2001-02-03'),
      countedAt: NOW,
      findings: [],
      findingsTotal: 0,
    })
    expect(extents.get('screening')).toMatchObject({ rows: 1n, since: null })
    expect(extents.get('candles')).toMatchObject({ rows: 0n, since: null })
  })

  it('replace the former numbers', async () => {
    await database.rows(`delete from forex_rate where quote = 'USD'`)
    await countRows(database, new Date(NOW.getTime() + 1), LOG)
    expect((await loadExtents(database)).get('forex')).toMatchObject({
      rows: 1n,
      since: new Date('2010-01-04'),
    })
  })
})
