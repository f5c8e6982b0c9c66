import { expect, it } from 'vitest'
import { CsvHeader } from '../../../src/ingest/bodies/csv/csv-header.js'

const header = new CsvHeader<'id' | 'codes' | 'name'>(['name', 'codes', 'id'])
const row = (...cells: readonly string[]) => ({ line: 2, cells })

it('finds cells by column name, and the parts of cells that list values', () => {
  expect(header.cell(row('A', 'x; y;;', '7'), 'id')).toBe('7')
  expect(header.list(row('A', 'x; y;; ', '7'), 'codes')).toEqual(['x', 'y'])
  expect(header.cell(row('A'), 'id')).toBe('')
})

it('reports missing columns, and rows that do not fit', () => {
  const lacking = new CsvHeader<'id' | 'codes' | 'name'>(['name'])
  expect(lacking.missing(['name', 'id', 'codes'])).toBe('the table has no column id, codes')
  expect(header.missing(['name', 'id'])).toBeNull()
  expect(header.explain(row('A', '', '7'))).toBeNull()
  expect(header.explain(row('A'))).toBe('has 1 cells, but the header has 3')
})
