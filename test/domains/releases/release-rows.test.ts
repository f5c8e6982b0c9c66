import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRelease } from '../../../src/domains/releases/check-release.js'
import type { ReleaseTable } from '../../../src/domains/releases/tables/release-table.js'
import { RELEASE_TABLES } from '../../../src/domains/releases/tables/release-tables.js'
import { readParquet } from '../../support/columnar-files.js'
import { availableDatabases, databasesOfFile, quickestDatabase } from '../../support/database/database.js'
import { newPlace, SIGNED, writeTo } from './written-release.js'

/** The seed has no daily lists of the SEC, and no answers of OpenFIGI. */
const SEEDED_TABLES = RELEASE_TABLES.filter(({ dataset }) => !dataset.endsWith('_symbols'))

type Cells = Readonly<Record<string, unknown>>

/** A stored row as a file has it: columns that are stored in another form are read. */
function withReadCells({ columns }: ReleaseTable, row: Cells): Cells {
  const read = columns.flatMap(
    ({ name, read }) => (read === undefined ? [] : [[name, read(row[name] as Buffer)] as const]), // the SQL of such a column gives bytes
  )
  return { ...row, ...Object.fromEntries(read) }
}

/** Cells of a file and of the database in one form. */
function textOfRow({ columns }: ReleaseTable, row: Cells): string {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const cells = Object.entries(row).map(([name, cell]) => {
    if (cell === null || Array.isArray(cell)) return [name, cell]
    if (cell instanceof Date) return [name, cell.toISOString()]
    const type = types.get(name)
    if (type === 'number') return [name, Number(cell)]
    return [
      name,
      type === 'decimal'
        ? String(cell)
            .replace(/(\.\d*?)0+$/, '$1')
            .replace(/\.$/, '')
        : cell,
    ]
  })
  return JSON.stringify(cells)
}

const databaseOf = databasesOfFile('seeded')

// The largest table has two years of candles, whose inputs are compared one by one.
describe.each(SEEDED_TABLES)('a release of $dataset', { timeout: 240_000 }, (table) => {
  let directory: string
  const write = async (place: string, kind = quickestDatabase()) =>
    writeTo(place, await databaseOf(kind), table.dataset)

  beforeAll(async () => {
    directory = await newPlace()
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('has every row of the table, cell by cell, in the order of the key', async () => {
    const database = await databaseOf(quickestDatabase())
    const stored = (
      await database.rows<Cells>(
        `select ${table.columns.map(({ sql, name }) => `${sql} as "${name}"`).join(', ')}, source,
             known_from, known_to from ${table.table} as t order by ${[...table.key, 't.known_from'].join(', ')}`,
      )
    ).map((row) => withReadCells(table, row))
    expect(stored.length).toBeGreaterThan(10)
    const { manifest, place } = await write(directory)
    expect(manifest.rows).toBe(stored.length)
    const files = await Promise.all(
      manifest.files.map(({ name }) => readParquet(readFileSync(join(place, name)))),
    )
    expect(files.flatMap(({ rows }) => rows.map((row) => textOfRow(table, row))).toSorted()).toEqual(
      stored.map((row) => textOfRow(table, row)).toSorted(),
    )
  })

  // So the rows of the other database are compared too.
  it('has the same bytes in a second run and on each database, and passes its checks', async () => {
    const first = await write(directory)
    expect((await write(directory)).isNew).toBe(false)
    for (const kind of availableDatabases()) {
      const place = await newPlace()
      const { manifest, seal, isNew } = await write(place, kind)
      expect(isNew).toBe(true)
      expect([manifest, seal]).toEqual([first.manifest, first.seal])
      await rm(place, { recursive: true })
    }
    const checks = await checkRelease(first.place, SIGNED)
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
  })
})
