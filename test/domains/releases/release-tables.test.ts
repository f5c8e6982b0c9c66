import { expect, it } from 'vitest'
import '../../../src/schema.js'
import { registeredDatasets } from '../../../src/core/datasets.js'
import { DATASETS_NOT_RELEASED, RELEASE_TABLES } from '../../../src/domains/releases/tables/release-tables.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

/** Tables with `known_from` that are not released, and why. */
const TABLES_NOT_RELEASED = {
  corporate_action_change: 'It follows from the released actions, dividends and identifiers.',
  exchange_listing: 'Exchanges do not allow that their lists are redistributed.',
  news_article: 'Headlines belong to their editors.',
  news_mention: 'It follows from headlines.',
  minute_bar: 'Bars are kept for weeks; the inputs of each price are in the released candles.',
}

it('every dataset is released, or has a reason why not', () => {
  const released = new Set(RELEASE_TABLES.map(({ partOf }) => partOf))
  expect([...released, ...DATASETS_NOT_RELEASED.keys()].toSorted()).toEqual(registeredDatasets())
})

it('every table that says when a row was learned is released, or has a reason why not', async () => {
  const database = await openTestDatabase(quickestDatabase())
  const rows = await database.rows<{ readonly table_name: string }>(
    `select c.relname as table_name from pg_attribute as a join pg_class as c on c.oid = a.attrelid
     join pg_namespace as n on n.oid = c.relnamespace
     where a.attname = 'known_from' and c.relkind in ('r', 'p') and not c.relispartition and n.nspname = 'public'`,
  )
  await database.close()
  const tables = rows.map(({ table_name }) => table_name)
  expect(tables.length).toBeGreaterThan(20)
  const sql = RELEASE_TABLES.map(({ table }) => ` ${table} `).join('\n')
  const missing = tables.filter((name) => !new RegExp(`\\b${name}\\b`).test(sql)).toSorted()
  expect(missing).toEqual(Object.keys(TABLES_NOT_RELEASED).toSorted())
})

it('names, columns and keys of releases are clear', () => {
  const names = RELEASE_TABLES.map(({ dataset }) => dataset)
  expect(new Set(names).size).toBe(names.length)
  for (const { columns, key } of RELEASE_TABLES) {
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length)
    expect(columns.filter(({ description }) => !/^.+[.]$/.test(description))).toEqual([])
    expect(key.every((part) => /^t\.\w+( collate "C")?$/.test(part))).toBe(true)
  }
})
