import { lstat, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** PGlite 0.5 is PostgreSQL 18, which reads the directories of no other version. */
const POSTGRES_VERSION = '18'

/** Bytes of pg_control, in every version (PG_CONTROL_FILE_SIZE). */
const CONTROL_FILE_BYTES = 8_192

/** Name of a segment of the write-ahead log. */
const SEGMENT = /^[0-9A-F]{24}$/

const REMEDY =
  'restore the directory from a backup, or move it away and start again with an empty one (or set DATA_DIR)'

/** The directory does not hold a database that can be opened; the message says what is wrong and what to do. */
export class BrokenDirectory extends Error {
  override readonly name = 'BrokenDirectory'
  constructor(directory: string, fault: string, options?: ErrorOptions) {
    super(`The embedded database in ${directory} cannot be opened: ${fault}. To go on, ${REMEDY}`, options)
  }
}

/** Throws BrokenDirectory if a file is missing without which PostgreSQL would crash at its start or create a new database. */
export async function assertWholeDirectory(directory: string): Promise<void> {
  const fault = await faultIn(directory)
  if (fault !== null) throw new BrokenDirectory(directory, fault)
}

async function faultIn(directory: string): Promise<string | null> {
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => null)
  if (version === null) return 'PG_VERSION is missing, so its other files are not a database'
  if (version.trim() !== POSTGRES_VERSION) {
    return `it was created by PostgreSQL ${version.trim().slice(0, 10)}, but this gateway reads only version ${POSTGRES_VERSION}`
  }
  const control = await lstat(join(directory, 'global/pg_control')).catch(() => null)
  if (control === null) return 'its control file global/pg_control is missing'
  if (control.size !== CONTROL_FILE_BYTES) {
    return `its control file global/pg_control has ${control.size} bytes instead of ${CONTROL_FILE_BYTES}`
  }
  const segments = await readdir(join(directory, 'pg_wal')).catch(() => [])
  if (!segments.some((name) => SEGMENT.test(name))) return 'its write-ahead log pg_wal is missing or empty'
  for (const name of ['base', 'pg_xact']) {
    if ((await readdir(join(directory, name)).catch(() => [])).length === 0)
      return `its folder ${name} is missing or empty`
  }
  return null
}

/**
 * The marker file beside a directory exists while a new database is created in it. Throws if it is a link, which may lead to
 * another user's file, and changes neither.
 */
export async function hasCreationMarker(marker: string): Promise<boolean> {
  const entry = await lstat(marker).catch(() => null)
  if (entry === null) return false
  if (entry.isFile()) return true
  throw new Error(`${marker} is not a file of this gateway: remove it, and start again`)
}

/** Creates the marker unless it exists. */
export async function markCreation(marker: string): Promise<void> {
  if (await hasCreationMarker(marker)) return
  await (await open(marker, 'wx', 0o600)).close()
}
