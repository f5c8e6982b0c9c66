import { buildSchema, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { rowColumns } from '../../../../src/gateway/rest/response/row-columns.js'
import { arrowChunks } from '../../../../src/platform/columnar/arrow.js'
import { CHUNK_ROWS } from '../../../../src/platform/columnar/chunks.js'
import { parquetChunks } from '../../../../src/platform/columnar/parquet.js'
import { readArrow, readParquet } from '../../../support/columnar-files.js'

const TYPE = buildSchema(`
  scalar Date scalar DateTime scalar BigInt scalar JSON
  enum Word { one two }
  type Part { x: Int }
  type Row {
    integer: Int number: Float! flag: Boolean text: String! day: Date at: DateTime whole: BigInt word: Word
    words: [Word!] numbers: [Float] part: Part parts: [Part!]! any: JSON
  }
  type Query { rows: [Row] }
`).getType('Row')
const COLUMNS = isObjectType(TYPE) ? rowColumns(TYPE) : []

const FULL = {
  integer: -2_147_483_648,
  number: 0.1 + 0.2,
  flag: false,
  text: 'Zürich "x",\n=1',
  day: new Date('1899-12-31'),
  at: new Date('1969-12-31T23:59:59.999Z'),
  whole: -(10n ** 38n - 1n),
  word: 'one',
  words: ['one', 'two'],
  numbers: [1e300, null],
  part: { x: 1 },
  parts: [{ x: 1 }, { x: null }],
  any: 'text',
}
const EMPTY = {
  ...Object.fromEntries(Object.keys(FULL).map((name) => [name, null])),
  number: 0,
  text: '',
  parts: [],
}

/** The cells that both readers must find. */
const FULL_READ = {
  ...FULL,
  day: '1899-12-31',
  at: '1969-12-31T23:59:59.999Z',
  whole: String(FULL.whole),
  part: '{"x":1}',
  parts: '[{"x":1},{"x":null}]',
  any: '"text"',
}
const EMPTY_READ = { ...EMPTY, parts: '[]' }

const METADATA = { source: 'ecb', note: 'Zürich' }

async function bytesOf(chunks: AsyncGenerator<Uint8Array>): Promise<readonly Uint8Array[]> {
  const list: Uint8Array[] = []
  for await (const chunk of chunks) list.push(chunk)
  return list
}

const FORMATS = [
  ['Parquet', parquetChunks, readParquet],
  ['Arrow', arrowChunks, readArrow],
] as const

it.each(FORMATS)(
  '%s keeps every type, null and metadata, for an independent reader',
  async (_, write, read) => {
    const rows = [
      FULL,
      EMPTY,
      { ...FULL, day: '2026-02-28', at: '2026-01-02T03:04:05.678Z', words: [], whole: '7' },
    ]
    const file = await read(Buffer.concat(await bytesOf(write(COLUMNS, rows, METADATA))))
    expect(file.rows).toEqual([
      FULL_READ,
      EMPTY_READ,
      { ...FULL_READ, day: '2026-02-28', at: '2026-01-02T03:04:05.678Z', words: [], whole: '7' },
    ])
    expect(file.metadata).toEqual(METADATA)
  },
)

it('names types as DuckDB and Arrow know them', async () => {
  const parquet = await readParquet(Buffer.concat(await bytesOf(parquetChunks(COLUMNS, [FULL], {}))))
  expect(Object.values(parquet.types)).toEqual([
    'INTEGER',
    'DOUBLE',
    'BOOLEAN',
    'VARCHAR',
    'DATE',
    'TIMESTAMP WITH TIME ZONE',
    'DECIMAL(38,0)',
    'VARCHAR',
    'VARCHAR[]',
    'DOUBLE[]',
    'VARCHAR',
    'VARCHAR',
    'VARCHAR',
  ])
  const arrow = readArrow(Buffer.concat(await bytesOf(arrowChunks(COLUMNS, [FULL], {}))))
  expect(Object.values(arrow.types)).toEqual([
    'Int32',
    'Float64',
    'Bool',
    'Utf8',
    'Date32<DAY>',
    'Timestamp<MILLISECOND, UTC>',
    'Decimal[38e0]',
    'Utf8',
    'List<Utf8>',
    'List<Float64>',
    'Utf8',
    'Utf8',
    'Utf8',
  ])
})

it.each(FORMATS)('%s without rows has its columns', async (_, write, read) => {
  const file = await read(Buffer.concat(await bytesOf(write(COLUMNS, [], METADATA))))
  expect(file.rows).toEqual([])
  expect(Object.keys(file.types)).toEqual(COLUMNS.map(({ name }) => name))
  expect(file.metadata).toEqual(METADATA)
})

it.each(FORMATS)('%s encodes one chunk of rows per turn', async (_, write, read) => {
  const made = { rows: 0 }
  const rows = Array.from({ length: 3 * CHUNK_ROWS + 1 }, (_, index) => ({
    ...EMPTY,
    get integer() {
      made.rows += 1
      return index
    },
  }))
  const chunks = write(COLUMNS, rows, {})
  const first = await chunks.next()
  expect(made.rows).toBe(CHUNK_ROWS)
  let turns = 0
  const count = () => {
    turns += 1
    setImmediate(count)
  }
  setImmediate(count)
  const list = await bytesOf(chunks)
  expect(turns).toBeGreaterThanOrEqual(3)
  const file = await read(Buffer.concat([first.value as Uint8Array, ...list]))
  expect(file.rows.map(({ integer }) => integer)).toEqual(rows.map((_, index) => index))
})
