import { readdir } from 'node:fs/promises'
import { type Config, databaseTarget } from '../config.js'
import { failureText } from '../core/failure-text.js'
import { hasCode } from '../core/has-code.js'
import type { Clock } from '../core/time.js'
import { type Database, openDatabase, type Sql } from '../platform/database/database.js'
import { postgresFault } from '../platform/database/database-fault.js'
import { pendingMigrations } from '../platform/database/migrate.js'
import { statement } from '../platform/database/statement.js'
import { MIGRATIONS } from '../platform/database/wiring.js'
import { commandLine } from '../platform/installation/command-line.js'
import { type Finding, ok, problem, warning } from './finding.js'

/** Milliseconds of a slow round trip. Every request waits for at least one. */
const SLOW_MS = 20
/** PostgreSQL 13 and older no longer get fixes (postgresql.org/support/versioning). */
const MIN_VERSION = 14
/** The expiry of tokens and the quota windows depend on these clocks. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000
const SAMPLES = 5

/** Opens the database, or returns why it cannot be checked. Creates no directory. */
export async function openForChecks(config: Config): Promise<Database | Finding> {
  const target = databaseTarget(config)
  try {
    if (target.kind === 'embedded' && (await isEmpty(target.directory))) {
      const message = `${target.directory} contains no database yet`
      return warning('database', message, `start the gateway (${commandLine('start')}), which creates it`)
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
    if (hasCode(error, 'ENOENT')) return true
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
    `cannot be checked: ${failureText(error).replace(/; stop it first/, '')}`,
    'if a gateway is starting there, try again when it listens; otherwise stop the process',
  )
}

const SERVER_VERSION = statement(
  'lacks session',
  { version: 'text?' },
  `select current_setting('server_version') as version`,
)

/** Checks the version of the server and the shortest of five round trips. */
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
    return warning(
      'database',
      message,
      `run the gateway closer to the database; below ${SLOW_MS} ms is normal`,
    )
  }
  return ok('database', message)
}

/** Checks whether the database has exactly the migrations of this version. */
export async function checkMigrations(database: Database): Promise<Finding> {
  let pending: readonly string[]
  try {
    pending = await pendingMigrations(database, MIGRATIONS, 'expand')
  } catch (error) {
    // The message of the runner contains the problem and the advice, separated by a colon.
    const [wrong = '', ...todo] = failureText(error).split(': ')
    return problem('migrations', wrong, todo.join(': '))
  }
  if (pending.length > 0) {
    const message = `pending: ${pending.join(', ')}`
    return problem(
      'migrations',
      message,
      `run ${commandLine('admin')} migrate, or start this version of the gateway; both apply them`,
    )
  }
  const names = await migrationNames()
  const unknown = (await appliedNames(database)).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    const message = `the database is newer than this code: ${unknown.join(', ')}`
    return warning('migrations', message, 'deploy the version that contains these migrations')
  }
  const contract = await pendingMigrations(database, MIGRATIONS)
  if (contract.length > 0) {
    return warning(
      'migrations',
      `contract migrations wait: ${contract.join(', ')}`,
      `run ${commandLine('admin')} migrate --contract when every node runs this version`,
    )
  }
  return ok('migrations', `all ${names.length} applied`)
}

async function migrationNames(): Promise<readonly string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

const APPLIED = statement(
  'lacks table of migrations',
  { name: 'varchar' },
  `select migration_name as name from "_prisma_migrations" where rolled_back_at is null order by 1`,
)

async function appliedNames(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.rows(APPLIED)
  return rows.map((row) => row.name)
}

const DATABASE_TIME = statement(
  'lacks clock of the database',
  { at: 'timestamptz' },
  'select clock_timestamp() as at',
)

/** Number of readings. The one with the shortest round trip counts, because a busy machine answers late. */
const CLOCK_READINGS = 3

/** Checks the difference between the clocks of this machine and the database. Up to half of the round trip is uncertain. */
export async function checkClock(database: Database, clock: Clock): Promise<Finding> {
  const readings: { readonly differenceMs: number; readonly tripMs: number }[] = []
  for (let count = 0; count < CLOCK_READINGS; count++) readings.push(await readClock(database, clock))
  const { differenceMs, tripMs } = readings.reduce((best, next) => (next.tripMs < best.tripMs ? next : best))
  const seconds = (Math.abs(differenceMs) / 1_000).toFixed(1)
  if (Math.abs(differenceMs) - tripMs / 2 <= MAX_CLOCK_DIFFERENCE_MS) {
    return ok('clock', `within ${seconds} s of the database's`)
  }
  const message = `${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} the database's; quota windows and the expiry of keys and tokens are wrong by that`
  return problem(
    'clock',
    message,
    'synchronise both machines by NTP (timedatectl set-ntp true) and check again',
  )
}

async function readClock(database: Database, clock: Clock) {
  const before = clock.now().getTime()
  const [row] = await database.rows(DATABASE_TIME)
  const after = clock.now().getTime()
  return { differenceMs: (before + after) / 2 - (row?.at.getTime() ?? Number.NaN), tripMs: after - before }
}
