import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'

type Cells = Readonly<Record<string, unknown>>

/** A columnar file as an independent reader sees it. Cells are as in JSON; decimals are texts. */
export interface ReadFile {
  /** Types by column, in order, with the reader's own names. */
  readonly types: Readonly<Record<string, string>>
  readonly rows: readonly Cells[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Reads Apache Parquet by DuckDB. */
export async function readParquet(bytes: Uint8Array): Promise<ReadFile> {
  const directory = await mkdtemp(join(tmpdir(), 'parquet-'))
  try {
    const path = join(directory, 'file.parquet')
    await writeFile(path, bytes)
    return await readWithDuckDB(path)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Runs statements of DuckDB over the files of a directory. Returns the rows of the last one. */
export async function queryFiles(
  directory: string,
  ...statements: readonly string[]
): Promise<readonly Cells[]> {
  const { rows } = await withDuckDB(async (run) => {
    let result = await run(`set file_search_path = '${directory}'`)
    for (const statement of statements) result = await run(statement)
    return result
  })
  return rows
}

async function readWithDuckDB(path: string): Promise<ReadFile> {
  return withDuckDB(async (run) => {
    const file = await run(`select * from '${path}'`)
    const { rows } = await run(
      `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${path}')`,
    )
    const metadata = Object.fromEntries(rows.map(({ key, value }) => [String(key), String(value)]))
    return { ...file, rows: file.rows.map((row) => withIsoInstants(row, file.types)), metadata }
  })
}

type Run = (sql: string) => Promise<Pick<ReadFile, 'types' | 'rows'>>

async function withDuckDB<Result>(use: (run: Run) => Promise<Result>): Promise<Result> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return await use(async (sql) => {
      const result = await connection.runAndReadAll(sql)
      const types = result
        .columnNames()
        .map((name, index) => [name, String(result.columnType(index))] as const)
      return { types: Object.fromEntries(types), rows: result.getRowObjectsJson() }
    })
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** DuckDB writes an instant as 2026-01-02 03:04:05.678+00. */
function withIsoInstants(row: Readonly<Record<string, unknown>>, types: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) =>
      types[name] === 'TIMESTAMP WITH TIME ZONE' && typeof cell === 'string'
        ? [name, new Date(`${cell.replace(' ', 'T')}:00`).toISOString()]
        : [name, cell],
    ),
  )
}

/** Reads an Apache Arrow stream by the library of the Arrow project. */
export function readArrow(bytes: Uint8Array): ReadFile {
  const table = tableFromIPC(bytes)
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]))
  const rows = table.toArray().map((row) => {
    const cells = Object.entries(row.toJSON() as Record<string, unknown>)
    return Object.fromEntries(cells.map(([name, cell]) => [name, plain(cell, types[name] ?? '')]))
  })
  return { types, rows, metadata: Object.fromEntries(table.schema.metadata) }
}

function plain(cell: unknown, type: string): unknown {
  if (cell === null) return null
  if (type.startsWith('Date')) return new Date(Number(cell)).toISOString().slice(0, 10)
  if (type.startsWith('Timestamp')) return new Date(Number(cell)).toISOString()
  if (type.startsWith('Decimal')) return String(cell)
  return type.startsWith('List') ? [...(cell as Iterable<unknown>)] : cell
}
