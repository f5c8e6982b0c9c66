import type { Config } from '../../../config.js'
import { failureText } from '../../../core/failure-text.js'
import { type Clock, systemClock } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import type { Command } from '../command.js'
import { checkConfiguration } from './check-configuration.js'
import { checkData } from './check-data.js'
import { checkClock, checkDisk, checkMigrations, checkServer, openForChecks } from './check-database.js'
import { checkFeeds } from './check-feeds.js'
import { checkInstallation } from './check-installation.js'
import { checkJobs, scheduledFeeds } from './check-jobs.js'
import { checkPooler } from './check-pooler.js'
import { checkRedis } from './check-redis.js'
import { checkReplicas } from './check-replicas.js'
import { checkResting } from './check-resting.js'
import { checkRole } from './check-role.js'
import { checkSqlRoles } from './check-sql-roles.js'
import { type Finding, problem, warning } from './finding.js'

/** Runs all checks, causes before effects. Changes nothing. */
export async function examine(
  env: NodeJS.ProcessEnv,
  clock: Clock,
  shared: Database | null = null,
): Promise<readonly Finding[]> {
  const { config, findings } = checkConfiguration(env)
  if (config === null) return findings
  const isEmbedded = config.databaseUrl === null
  return [
    ...findings,
    ...(shared === null ? await examineDatabase(config, clock) : await examineOpen(shared, config, clock)),
    await attempt('redis', () => checkRedis(config.redisUrl, isEmbedded)),
    ...(isEmbedded ? [await attempt('disk', () => checkDisk(config.dataDir))] : []),
  ]
}

async function examineDatabase(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const database = await openForChecks(config)
  if ('check' in database) return [database]
  try {
    return await examineOpen(database, config, clock)
  } finally {
    await database.close()
  }
}

async function examineOpen(database: Database, config: Config, clock: Clock): Promise<readonly Finding[]> {
  const server = await attempt('database', () => checkServer(database))
  const migrations = await attempt('migrations', () => checkMigrations(database))
  const skew = await attempt('clock', () => checkClock(database, clock))
  const roles = database.kind === 'pglite' ? [] : [await attempt('role', () => checkRole(database))]
  const poolers = database.kind === 'pglite' ? [] : await attemptAll('pooler', () => checkPooler(config))
  const first = [server, ...roles, ...poolers, migrations, skew]
  if (migrations.status === 'problem') {
    return [...first, warning('data', 'not checked', 'correct the migrations first')]
  }
  try {
    const now = clock.now()
    const replicas = await checkReplicas(config, database)
    const sqlRoles = await checkSqlRoles(database, config)
    const installation = await checkInstallation(config, database)
    const data = await checkData(database, now, config)
    const feeds = await checkFeeds(database, now, scheduledFeeds(config), config.providerKeys)
    return [
      ...first,
      ...installation,
      ...sqlRoles,
      ...replicas,
      ...data,
      ...feeds,
      ...(await checkResting(database)),
      ...(await checkJobs(database, config, now)),
    ]
  } catch (error) {
    return [...first, unchecked('data', error)]
  }
}

/** A check that throws becomes a finding, so that the others are still reported. */
async function attemptAll(
  check: string,
  run: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [unchecked(check, error)]
  }
}

async function attempt(check: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run()
  } catch (error) {
    return unchecked(check, error)
  }
}

function unchecked(check: string, error: unknown): Finding {
  return problem(check, `could not be checked: ${failureText(error)}`, 'remove the cause and check again')
}

export const doctor: Command = {
  name: 'doctor',
  parameters: [],
  options: [],
  summary:
    'checks configuration, database, role, SQL credentials, migrations, Redis, clock, data, feeds and jobs, and says what to do',
  run: async (given) => {
    const checks = await examine(given.env, systemClock, given.shared)
    const problems = checks.filter(({ status }) => status === 'problem').length
    const warnings = checks.filter(({ status }) => status === 'warning').length
    const status = problems > 0 ? 'problem' : warnings > 0 ? 'warning' : 'ok'
    return {
      json: { status, problems, warnings, checks },
      text: `${checks.map(findingText).join('')}\n${summaryText(problems, warnings)}\n`,
      isFailure: problems > 0,
    }
  },
}

function findingText({ check, status, message, advice }: Finding): string {
  const line = `${status.padEnd(7)}  ${check.padEnd(16)}  ${message}\n`
  return advice === null ? line : `${line}${' '.repeat(27)}→ ${advice}\n`
}

function summaryText(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'No problems found.'
  const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
}
