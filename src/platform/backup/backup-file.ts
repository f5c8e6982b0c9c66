import { constants } from 'node:buffer'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { hasCode } from '../../core/has-code.js'
import { writeNewFile } from '../new-file.js'
import { LineTooLong, readLines } from '../read-lines.js'
import type { BackupHeader, BackupPart, BackupSource } from './backup-source.js'
import { RestoreRefused } from './restore-refused.js'

/** The first member of the first line, by which a file is recognized. */
const FORMAT = 'market-data-gateway backup 1'

/** A batch has half a megabyte, unless one row alone is longer; Node.js has no longer text. */
const MAX_LINE_BYTES = constants.MAX_STRING_LENGTH

/** Codes of errors of a gzipped body. */
const ZIP_FAULTS = ['Z_BUF_ERROR', 'Z_DATA_ERROR'] as const

const RowSum = z.object({ rows: z.int().min(0), sum: z.string() })

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  createdAt: z.string(),
  database: z.enum(['pglite', 'postgres']),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(
    z.object({ name: z.string(), columns: z.array(z.string()), generated: z.array(z.string()) }),
  ),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string().nullable() })),
  logins: z.array(z.object({ name: z.string(), verifier: z.string() })).nullable(),
})

const Part = z.union([
  z.object({ table: z.string(), rows: z.array(z.string()) }),
  z.object({ table: z.string(), end: RowSum }),
])

/** Fast: a higher level takes twice the time for a tenth of the bytes. */
const GZIP_LEVEL = 3

/** Writes a backup to a new file, as gzipped lines of JSON. `signal` ends the work and removes what was written. */
export async function writeBackupFile(
  path: string,
  source: BackupSource,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  const { bytes, written } = await writeNewFile(path, (file) => writeLines(file, source, signal))
  return { rows: written, bytes }
}

async function writeLines(file: FileHandle, source: BackupSource, signal: AbortSignal): Promise<number> {
  const gzip = createGzip({ level: GZIP_LEVEL })
  const written = pipeline(gzip, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await file.writeFile(chunk)
  })
  written.catch(() => {}) // thrown below
  const put = async (value: object) => {
    signal.throwIfAborted()
    if (!gzip.write(`${JSON.stringify(value)}\n`)) await Promise.race([once(gzip, 'drain'), written])
  }
  let rows = 0
  try {
    await put({ format: FORMAT, ...source.header })
    await source.read(async (part) => {
      if ('end' in part) rows += part.end.rows
      await put(part)
    })
    gzip.end()
    await written
    return rows
  } finally {
    gzip.destroy()
  }
}

/** Does the work with the backup of a file. Throws RestoreRefused for another file, and for one that is cut or damaged. */
export async function withBackupFile<T>(
  path: string,
  work: (source: BackupSource) => Promise<T>,
): Promise<T> {
  const unzipped = createGunzip()
  const opened = pipeline(createReadStream(path), unzipped)
  opened.catch(() => {}) // the reader of the lines gets it
  const lines = linesOf(path, unzipped)
  try {
    return await work({
      header: headerOf(path, (await lines.next()).value ?? ''),
      read: async (write) => {
        for await (const line of lines) await write(partOf(path, line))
      },
    })
  } finally {
    unzipped.destroy()
    await opened.catch(() => {})
  }
}

async function* linesOf(path: string, stream: Readable): AsyncGenerator<string, undefined> {
  try {
    yield* readLines(stream, MAX_LINE_BYTES)
  } catch (error) {
    if (!(error instanceof LineTooLong) && !(error instanceof Error && hasCode(error, ...ZIP_FAULTS)))
      throw error
    throw new RestoreRefused(`${path} is not a backup, or it is cut or damaged: ${error.message}`)
  }
}

function headerOf(path: string, line: string): BackupHeader {
  const parsed = Header.safeParse(jsonOf(line))
  if (parsed.success) return parsed.data
  throw new RestoreRefused(`${path} is not a backup of the gateway that this version reads`)
}

function partOf(path: string, line: string): BackupPart {
  const parsed = Part.safeParse(jsonOf(line))
  if (parsed.success) return parsed.data
  throw new RestoreRefused(`${path} is damaged: a line is not a part of a backup`)
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
