import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  bool,
  columnFromArray,
  type DataType,
  dateDay,
  decimal,
  field,
  float64,
  int32,
  list,
  Table,
  TimeUnit,
  tableFromColumns,
  tableToIPC,
  timestamp,
  utf8,
} from '@uwdata/flechette'
import { chunksOf } from './chunks.js'
import { type CellType, type ColumnarRow, cellsOf, DECIMAL_DIGITS, type FileColumn } from './columns.js'

const TYPES: Readonly<Record<CellType, (column: FileColumn) => DataType>> = {
  boolean: bool,
  integer: int32,
  number: float64,
  decimal: ({ scale = 0 }) => decimal(DECIMAL_DIGITS, scale, 128),
  date: dateDay,
  timestamp: () => timestamp(TimeUnit.MILLISECOND, 'UTC'),
  text: utf8,
  json: utf8,
}

/** Eight bytes end a stream: a continuation marker and a length of 0. */
const END_BYTES = 8

/**
 * Writes rows as an Apache Arrow stream, one record batch per chunk. Yields to the event loop after each, so that other
 * requests are not delayed. `metadata` becomes the metadata of the schema.
 */
export async function* arrowChunks(
  columns: readonly FileColumn[],
  rows: readonly ColumnarRow[],
  metadata: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  const known = new Map(Object.entries(metadata))
  let isFirst = true
  for (const chunk of chunksOf(rows)) {
    const stream = encode(columns, chunk, known)
    yield stream.subarray(isFirst ? 0 : schemaBytes(stream), stream.length - END_BYTES)
    isFirst = false
    await nextTurn()
  }
  yield Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
}

/** A whole stream with one record batch. */
function encode(
  columns: readonly FileColumn[],
  rows: readonly ColumnarRow[],
  metadata: ReadonlyMap<string, string>,
): Uint8Array {
  const table = tableFromColumns(
    columns.map((column) => {
      const type = TYPES[column.type](column)
      return [
        column.name,
        columnFromArray(cellsOf(column, rows), column.isList ? list(field('item', type)) : type),
      ]
    }),
  )
  const schema = { ...table.schema, metadata: new Map(metadata) }
  const stream = tableToIPC(new Table(schema, table.children), { format: 'stream' })
  if (stream === null) throw new Error('The Arrow stream was not encoded in memory.')
  return stream
}

/** Length of the first message, the schema: a continuation marker, the length of its metadata, and that metadata. */
function schemaBytes(stream: Uint8Array): number {
  return 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true)
}
