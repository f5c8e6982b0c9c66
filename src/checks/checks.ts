import { configuredJobs } from '../ingest/wiring.js'
import { loadLockedByMigration } from '../platform/database/locks/blocking-migration.js'
import { urgent } from '../platform/database/urgent.js'
import type { Check, CheckWorld, FactGauge, ProbeWorld, ReadinessProbe } from './check.js'
import { checkBackup } from './check-backup.js'
import { checkClock, checkMigrations, checkServer } from './check-database.js'
import { checkInstallation } from './check-installation.js'
import { checkPooler } from './check-pooler.js'
import { checkRedis } from './check-redis.js'
import { checkReplicas } from './check-replicas.js'
import { checkRole } from './check-role.js'
import { checkBucket, checkDisk, checkMail, checkModel } from './check-services.js'
import { checkSqlRoles } from './check-sql-roles.js'
import { checkData } from './data/check-data.js'
import { checkFeeds } from './data/check-feeds.js'
import { checkJobs } from './data/check-jobs.js'
import { checkLanes, checkLateAssets } from './data/check-lanes.js'
import { checkNewsletter } from './data/check-newsletter.js'
import { checkResting } from './data/check-resting.js'
import type { Facts } from './finding.js'

/** An unused counter. Reading it needs the same connections as every charge. */
const PROBE = 'readiness'

const secondsSince = (name: string) => (facts: Facts, now: Date) =>
  facts[name] instanceof Date ? Math.max(0, (now.getTime() - facts[name].getTime()) / 1_000) : null

const secondsUntil = (name: string) => (facts: Facts, now: Date) =>
  facts[name] instanceof Date ? Math.max(0, (facts[name].getTime() - now.getTime()) / 1_000) : 0

const figure = (name: string) => (facts: Facts) => {
  const value = facts[name] ?? null
  return value === null ? null : Number(value)
}

const gauge = (
  name: string,
  help: string,
  label: FactGauge['label'],
  value: FactGauge['value'],
): FactGauge => ({ name, help, label, value })

/** All checks, causes before effects. */
export const CHECKS: readonly Check[] = [
  {
    name: 'database',
    question: 'Does the database answer, soon enough, in a supported version?',
    severity: 'problem',
    needs: 'server',
    probe:
      ({ database, counters, clock }) =>
      async () => {
        const now = clock.now()
        const probe = { key: PROBE, owner: PROBE, quota: 0, units: 0, windowEnd: now }
        await Promise.all([database.ping(), counters.peek([probe], now, { isUrgent: true })])
      },
    run: async ({ database }) => [await checkServer(database)],
  },
  {
    name: 'role',
    question: 'May the role of DATABASE_URL read, write and migrate?',
    severity: 'problem',
    needs: 'server',
    run: async ({ database }) => (database.kind === 'pglite' ? [] : [await checkRole(database)]),
  },
  {
    name: 'pooler',
    question: 'Do the settings fit a pooler before PostgreSQL?',
    severity: 'problem',
    needs: 'server',
    run: ({ config }) => checkPooler(config),
  },
  {
    name: 'migrations',
    question: 'Does the database have the tables of this version?',
    severity: 'problem',
    needs: 'server',
    probe:
      ({ database, pendingMigrations }) =>
      async () => {
        const pending = await pendingMigrations(urgent(database))
        if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`)
        const locked = await loadLockedByMigration(urgent(database))
        if (locked.length > 0) throw new Error(`a migration locks ${locked.join(', ')}`)
      },
    run: async ({ database }) => [await checkMigrations(database)],
  },
  {
    name: 'clock',
    question: 'Does this clock agree with that of the database?',
    severity: 'problem',
    needs: 'server',
    run: async ({ database, clock }) => [await checkClock(database, clock)],
  },
  {
    name: 'installation',
    question: 'Does this node have the secrets of the others, and production no development data?',
    severity: 'problem',
    needs: 'tables',
    run: ({ config, database }) => checkInstallation(config, database),
  },
  {
    name: 'sql credentials',
    question: 'Can SQL credentials be created, and what may their holders do besides reading?',
    severity: 'problem',
    needs: 'tables',
    run: ({ config, database }) => checkSqlRoles(database, config),
  },
  {
    name: 'replicas',
    question: 'Does each replica answer with the newest data?',
    severity: 'problem',
    needs: 'tables',
    run: ({ config, database }) => checkReplicas(config, database),
  },
  {
    name: 'backup',
    question: 'Is there a new backup?',
    severity: 'warning',
    needs: 'tables',
    run: checkBackup,
    gauges: [
      gauge(
        'gateway_backup_age_seconds',
        'Age of the newest backup that the command backup wrote; absent if none of the last 90 days.',
        ['kind', 'kind'],
        secondsSince('written_at'),
      ),
    ],
  },
  {
    name: 'data',
    question: 'Does each dataset hold data that is fresh?',
    severity: 'problem',
    needs: 'tables',
    run: checkData,
    gauges: [
      gauge(
        'data_age_seconds',
        'Age of the newest fact of each dataset; a dataset that holds nothing has none.',
        ['dataset', 'dataset'],
        secondsSince('observed_at'),
      ),
      gauge(
        'data_refresh_interval_seconds',
        'Age at which the newest fact of each dataset becomes stale; at three times that it is expired.',
        ['dataset', 'dataset'],
        figure('refresh_seconds'),
      ),
      gauge(
        'data_loaded',
        '1: the dataset holds facts; 0: scheduled jobs load it, and it never held any.',
        ['dataset', 'dataset'],
        figure('loaded'),
      ),
    ],
  },
  {
    name: 'feeds',
    question: 'Did the newest run of each feed succeed?',
    severity: 'problem',
    needs: 'tables',
    run: checkFeeds,
  },
  {
    name: 'jobs',
    question: 'Does each scheduled job run in time?',
    severity: 'problem',
    needs: 'tables',
    run: checkJobs,
    list: { name: 'jobs', empty: 'no jobs' },
    gauges: [
      gauge(
        'ingest_job_lag_seconds',
        'Seconds since the oldest due instant of each scheduled job that no run has met; 0: none is open.',
        // Not `job`: Prometheus uses that label for its targets and would rename ours to `exported_job`.
        ['job_name', 'job'],
        (facts) => (facts.scheduled ? Number(facts.lag_seconds) : null),
      ),
    ],
  },
  {
    name: 'exchanges',
    question: 'Does each exchange answer and give new bars?',
    severity: 'warning',
    needs: 'tables',
    run: checkLanes,
    list: { name: 'lanes', empty: 'no node requests bars from exchanges' },
    gauges: [
      gauge(
        'ingest_lane_queue',
        'Assets that wait for an exchange or are being requested from it, over all nodes.',
        ['exchange', 'exchange'],
        figure('queue'),
      ),
      gauge(
        'ingest_lane_oldest_due_seconds',
        'Seconds since the bars of the most overdue asset of an exchange were due; 0: none is due.',
        ['exchange', 'exchange'],
        figure('oldest_due_seconds'),
      ),
      gauge(
        'ingest_lane_rest_seconds',
        'Seconds until an exchange that does not answer is requested again; 0: it answers.',
        ['exchange', 'exchange'],
        secondsUntil('rest_until'),
      ),
      gauge(
        'ingest_lane_age_seconds',
        'Age of the newest bar that an exchange gave of any asset: a day if it gave none, absent before its first answer.',
        ['exchange', 'exchange'],
        figure('newest_bar_age_seconds'),
      ),
      gauge(
        'ingest_lane_requests_per_minute',
        'Requests to an exchange in the last minute, over all nodes.',
        ['exchange', 'exchange'],
        figure('requests_in_last_minute'),
      ),
    ],
  },
  {
    name: 'assets',
    question: 'Do the assets that exchanges list get bars in time?',
    severity: 'warning',
    needs: 'tables',
    run: checkLateAssets,
    list: { name: 'assets', empty: 'no exchange lists an asset yet' },
    gauges: [
      gauge(
        'ingest_assets_listed',
        'Assets that an exchange lists, by tier.',
        ['tier', 'tier'],
        figure('listed'),
      ),
      gauge(
        'ingest_assets_late',
        'Assets that an exchange lists, by tier, without bars of the last 1, 6 or 12 hours (tiers 1, 2 and 3).',
        ['tier', 'tier'],
        figure('late'),
      ),
    ],
  },
  {
    name: 'providers',
    question: 'Does any provider block this installation or ask for a pause?',
    severity: 'warning',
    needs: 'tables',
    run: checkResting,
    list: { name: 'resting', empty: 'no provider blocks this installation or asked for a pause' },
    gauges: [
      gauge(
        'ingest_provider_rest_seconds',
        'Seconds until a provider that blocks this installation or asked for a pause is requested again; absent for the others.',
        ['provider', 'provider'],
        secondsUntil('rest_until'),
      ),
    ],
  },
  {
    name: 'newsletter',
    question: 'Are mails of the newsletter delivered?',
    severity: 'warning',
    needs: 'tables',
    run: checkNewsletter,
    gauges: [
      gauge(
        'newsletter_mails',
        'Mails of the newsletter of the last 30 days, by state; failed: given up.',
        ['state', 'state'],
        figure('mails'),
      ),
    ],
  },
  {
    name: 'redis',
    question: 'Does Redis answer, does each master keep its keys, and has it a replica?',
    severity: 'problem',
    needs: 'configuration',
    // A node without Redis counts by itself.
    isOptional: true,
    probe: ({ counters: { isRedisUp } }) =>
      isRedisUp === undefined
        ? null
        : async () => {
            if (!isRedisUp()) throw new Error('Redis or a part of its cluster is unreachable')
          },
    run: ({ config }) => checkRedis(config.redisUrl, config.databaseUrl === null),
  },
  {
    name: 'mail',
    question: 'Does the mail server accept mails?',
    severity: 'problem',
    needs: 'configuration',
    run: checkMail,
  },
  {
    name: 'bucket',
    question: 'Can the bucket of the releases be read?',
    severity: 'problem',
    needs: 'configuration',
    run: checkBucket,
  },
  {
    name: 'model',
    question: 'Does the language model answer?',
    severity: 'problem',
    needs: 'configuration',
    run: checkModel,
  },
  {
    name: 'disk',
    question: 'Is there space where this process writes?',
    severity: 'problem',
    needs: 'configuration',
    run: checkDisk,
  },
]

/** The checks that `/readyz` makes. Their statements do not wait behind those of requests, because a busy node is still ready. */
export function readinessProbes(world: ProbeWorld): readonly ReadinessProbe[] {
  return CHECKS.flatMap(({ name, isOptional = false, probe }) => {
    const run = probe?.(world) ?? null
    return run === null ? [] : [{ name, isOptional, run }]
  })
}

/** The facts of the checks that have a list, and the setting SCHEDULE, as JSON for the operator. */
export async function loadFeedLists(world: CheckWorld): Promise<Readonly<Record<string, unknown>>> {
  configuredJobs(world.config) // throws for a wrong SCHEDULE
  const lists: Record<string, unknown> = { schedule: world.config.schedule }
  for (const { list, run } of CHECKS) {
    if (list === undefined) continue
    lists[list.name] = (await run(world)).flatMap(({ facts }) => (facts === undefined ? [] : [facts]))
  }
  return lists
}
