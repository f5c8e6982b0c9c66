import { setImmediate as nextTurn } from 'node:timers/promises'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { chunksOf } from './chunks.js'
import { type CellType, type ColumnarRow, cellsOf, DECIMAL_DIGITS, type FileColumn } from './columns.js'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const ELEMENTS: Readonly<Record<CellType, Omit<SchemaElement, 'name'>>> = {
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: DECIMAL_DIGITS,
  },
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
}

/** Writes rows that are in memory as Apache Parquet. See `parquetFile`. */
export function parquetChunks(
  columns: readonly FileColumn[],
  rows: readonly ColumnarRow[],
  metadata: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  return parquetFile(columns, chunksOf(rows), metadata)
}

/**
 * Writes rows as Apache Parquet, compressed with Snappy, one row group per chunk. Yields to the event loop after each, so
 * that other requests are not delayed. `metadata` becomes key-value metadata of the file. The same rows in the same chunks
 * give the same bytes.
 */
export async function* parquetFile(
  columns: readonly FileColumn[],
  chunks: Iterable<readonly ColumnarRow[]> | AsyncIterable<readonly ColumnarRow[]>,
  metadata: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)],
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: 'market-data-gateway',
  })
  for await (const chunk of chunks) {
    const columnData = columns.map((column) => ({ name: column.name, data: cellsOf(column, chunk) }))
    file.write({ columnData, rowGroupSize: chunk.length })
    yield taken(bytes)
    await nextTurn()
  }
  file.finish()
  yield taken(bytes)
}

function elementsOf({ name, type, scale = 0, isList = false }: FileColumn): readonly SchemaElement[] {
  const known = type === 'decimal' ? { ...ELEMENTS[type], scale } : ELEMENTS[type]
  const element = { ...known, repetition_type: 'OPTIONAL' } as const
  if (!isList) return [{ name, ...element }]
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', ...element },
  ]
}

/** The bytes that were written since the last call. Offsets in the file go on counting. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}
