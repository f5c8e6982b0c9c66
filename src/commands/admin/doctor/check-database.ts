import { readdir, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Config, databaseTarget } from '../../../config.js'
import { failureText } from '../../../core/failure-text.js'
import type { Clock } from '../../../core/time.js'
import { type Database, openDatabase, type Sql } from '../../../platform/database/database.js'
import { postgresFault } from '../../../platform/database/database-fault.js'
import { pendingMigrations } from '../../../platform/database/migrate.js'
import { statement } from '../../../platform/database/statement.js'
import { MIGRATIONS } from '../../../platform/database/wiring.js'
import { commandLine } from '../../../platform/installation/command-line.js'
import { type Finding, ok, problem, warning } from './finding.js'

/** Every request waits for at least one round trip. */
const SLOW_MS = 20
/** PostgreSQL 13 and older get no more fixes (postgresql.org/support/versioning). */
const MIN_VERSION = 14
/** Token ends and quota windows are judged on these clocks. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000
const SAMPLES = 5
const MIB = 1_048_576
const LOW_DISK_MIB = 1_024
const FULL_DISK_MIB = 200

/** The open database, or why there is none to look at. Makes no directory. */
export async function openForChecks(config: Config): Promise<Database | Finding> {
  const target = databaseTarget(config)
  try {
    if (target.kind === 'embedded' && (await isEmpty(target.directory))) {
      const message = `there is no database in ${target.directory} yet`
      return warning('database', message, `start the gateway (${commandLine('start')}), which makes it`)
    }
    const database = await openDatabase(target)
    try {
      await database.ping()
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  } catch (error) {
    return closed(config, error)
  }
}

async function isEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0
  } catch (error) {
    if (isAbsence(error)) return true
    throw error
  }
}

function closed(config: Config, error: unknown): Finding {
  if (config.databaseUrl !== null) {
    const { message, advice } = postgresFault(config.databaseUrl, error)
    return problem('database', message, advice)
  }
  return problem(
    'database',
    `cannot be looked at: ${failureText(error).replace(/; stop it first/, '')}`,
    'a gateway that runs there answers once it listens; stop whatever else holds it',
  )
}

const SERVER_VERSION = statement({ version: 'text?' }, `select current_setting('server_version') as version`)

/** Which server answers, and how fast: the quickest of five. */
export async function checkServer(database: Database): Promise<Finding> {
  let roundTripMs = Number.POSITIVE_INFINITY
  let version = ''
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const startedAt = performance.now()
    const [row] = await database.rows(SERVER_VERSION)
    roundTripMs = Math.min(roundTripMs, performance.now() - startedAt)
    version = row?.version ?? ''
  }
  const name = database.kind === 'pglite' ? 'embedded PostgreSQL' : 'PostgreSQL'
  const message = `${name} ${version.split(' ')[0]} answers in ${roundTripMs.toFixed(1)} ms`
  if (Number.parseInt(version, 10) < MIN_VERSION) {
    return warning('database', message, `update PostgreSQL to ${MIN_VERSION} or newer`)
  }
  if (roundTripMs > SLOW_MS) {
    return warning('database', message, `bring gateway and database closer: below ${SLOW_MS} ms is normal`)
  }
  return ok('database', message)
}

/** Whether the database has just the migrations of this version, as they are. */
export async function checkMigrations(database: Database): Promise<Finding> {
  let pending: readonly string[]
  try {
    pending = await pendingMigrations(database, MIGRATIONS)
  } catch (error) {
    // Edited or half-way: the runner says in one breath what is wrong and what to do.
    const [wrong = '', ...todo] = failureText(error).split(': ')
    return problem('migrations', wrong, todo.join(': '))
  }
  if (pending.length > 0) {
    const message = `pending: ${pending.join(', ')}`
    return problem(
      'migrations',
      message,
      `run ${commandLine('admin')} migrate, or start this version of the gateway: both apply them`,
    )
  }
  const names = await migrationNames()
  const unknown = (await appliedNames(database)).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    const message = `the database is newer than this code: ${unknown.join(', ')}`
    return warning('migrations', message, 'deploy the version that brought these migrations')
  }
  return ok('migrations', `all ${names.length} applied`)
}

async function migrationNames(): Promise<readonly string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

const APPLIED = statement(
  { name: 'varchar' },
  `select migration_name as name from "_prisma_migrations" where rolled_back_at is null order by 1`,
)

async function appliedNames(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.rows(APPLIED)
  return rows.map((row) => row.name)
}

const DATABASE_TIME = statement({ at: 'timestamptz' }, 'select clock_timestamp() as at')

/** A busy machine answers late: of so many readings the one with the shortest round trip counts. */
const CLOCK_READINGS = 3

/** How far this machine's clock is from the database's. Half of the round trip is uncertain, and is no difference. */
export async function checkClock(database: Database, clock: Clock): Promise<Finding> {
  const readings: { readonly differenceMs: number; readonly tripMs: number }[] = []
  for (let count = 0; count < CLOCK_READINGS; count++) readings.push(await readClock(database, clock))
  const { differenceMs, tripMs } = readings.reduce((best, next) => (next.tripMs < best.tripMs ? next : best))
  const seconds = (Math.abs(differenceMs) / 1_000).toFixed(1)
  if (Math.abs(differenceMs) - tripMs / 2 <= MAX_CLOCK_DIFFERENCE_MS) {
    return ok('clock', `within ${seconds} s of the database's`)
  }
  const message = `${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the database's: quota windows, ends of keys and tokens are off by that`
  return problem('clock', message, 'set both machines by NTP (timedatectl set-ntp true) and look again')
}

async function readClock(database: Database, clock: Clock) {
  const before = clock.now().getTime()
  const [row] = await database.rows(DATABASE_TIME)
  const after = clock.now().getTime()
  return { differenceMs: (before + after) / 2 - (row?.at.getTime() ?? Number.NaN), tripMs: after - before }
}

/** Disk space for the embedded database. */
export async function checkDisk(directory: string): Promise<Finding> {
  const free = await freeMib(directory)
  const message = `${free < 10_240 ? `${free} MiB` : `${Math.floor(free / 1_024)} GiB`} free for ${directory}`
  if (free >= LOW_DISK_MIB) return ok('disk', message)
  const advice = 'free disk space, or move DATA_DIR: a full disk stops every write'
  return free < FULL_DISK_MIB ? problem('disk', message, advice) : warning('disk', message, advice)
}

/** Of the directory, or while it does not exist of the nearest one above it that does. */
async function freeMib(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return Math.floor((bavail * bsize) / MIB)
  } catch (error) {
    const parent = dirname(directory)
    if (!isAbsence(error) || parent === directory) throw error
    return freeMib(parent)
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
