import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDirectoryReleases } from '../../../src/domains/releases/directory-releases.js'
import { BATCH_ROWS } from '../../../src/domains/releases/rows-store.js'
import { type ReleaseTable, releaseColumns } from '../../../src/domains/releases/tables/release-table.js'
import { RELEASE_TABLES } from '../../../src/domains/releases/tables/release-tables.js'
import { writeRelease } from '../../../src/domains/releases/write-release.js'
import { parquetFile } from '../../../src/platform/columnar/parquet.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { candleBatches } from './candle-batches.js'

/** Rows of a month: the hours of 1,000 assets. */
const ROWS_OF_FILE = 720_000

const HELP = `Usage: npm run -s bench:releases -- [--rows NUMBER] [--database URL]

  --rows      writes that many generated candles as files of a release, and prints rows per second and the peak of resident
              memory (default: 10000000)
  --database  instead, releases every dataset of a database, and prints the sizes of the same rows as Parquet, as CSV and in
              PostgreSQL with its indexes
`

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    database: { type: 'string' },
    help: { type: 'boolean' },
  },
})

const directory = await mkdtemp(join(tmpdir(), 'bench-releases-'))
try {
  if (values.help === true) process.stdout.write(HELP)
  else if (values.database === undefined) await measureWriter(Number(values.rows))
  else await measureSizes(values.database)
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function measureWriter(rows: number): Promise<void> {
  const candles = RELEASE_TABLES.find(({ dataset }) => dataset === 'candles')
  if (candles === undefined) throw new Error('candles are not released')
  const draft = await createDirectoryReleases(directory).begin('candles', null)
  const before = process.resourceUsage().maxRSS
  const start = performance.now()
  let size = 0
  for (let done = 0; done < rows; done += ROWS_OF_FILE) {
    const batches = candleBatches(done, Math.min(rows, done + ROWS_OF_FILE), BATCH_ROWS)
    const file = parquetFile(releaseColumns(candles), batches, { dataset: 'candles' })
    size += (await draft.addFile(`${done}.parquet`, file)).bytes
    process.stdout.write(`${done} rows, ${residentMb()} MB at most\n`)
  }
  const seconds = (performance.now() - start) / 1_000
  print([
    ['rows', rows],
    ['seconds', Math.round(seconds)],
    ['rows per second', Math.round(rows / seconds)],
    ['bytes per row', Math.round(size / rows)],
    ['resident before, MB', Math.round(before / 1_024)],
    ['resident at most, MB', residentMb()],
  ])
}

function residentMb(): number {
  return Math.round(process.resourceUsage().maxRSS / 1_024)
}

async function measureSizes(url: string): Promise<void> {
  const database = await openDatabase({ kind: 'postgres', url }, { limits: BATCH_LIMITS })
  try {
    const signal = new AbortController().signal
    const releases = createDirectoryReleases(directory)
    for (const table of RELEASE_TABLES) {
      const stored = storedTable(table)
      if (stored === null) continue
      const written = await writeRelease({ database, releases, signer: null, signal }, table).catch(
        () => null,
      )
      if (written === null) continue
      const { rows, bytes } = written.manifest
      const sizes = await loadSizes(database, stored)
      print([
        [table.dataset, `${rows} rows`],
        ['  Parquet', bytes],
        ['  CSV', sizes.csv],
        ['  PostgreSQL', sizes.table],
      ])
    }
  } finally {
    await database.close()
  }
}

/** The table that a release reads alone, as a whole or in parts; null for a join. */
function storedTable({ table }: ReleaseTable): string | null {
  const [, whole, parts] =
    /^(\w+)$|^\(select \* from (\w+) where known_to is null union all/.exec(table) ?? []
  return whole ?? parts ?? null
}

/** Bytes of a table as CSV, and with its indexes and partitions. */
async function loadSizes(database: Database, table: string): Promise<{ csv: number; table: number }> {
  const [sizes] = await database.rows<{ csv: number; table: number }>(
    // The text of a row has its values between parentheses, as CSV has them; a line ends in one byte.
    `select (select sum(octet_length(t::text) - 1) from ${table} as t)::float8 as csv,
       coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree('${table}')),
         pg_total_relation_size('${table}'))::float8 as table`,
  )
  return sizes ?? { csv: 0, table: 0 }
}

function print(lines: readonly (readonly [string, string | number])[]): void {
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(24)}${value}\n`)
}
