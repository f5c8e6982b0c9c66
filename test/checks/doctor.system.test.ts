import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { examine } from '../../src/checks/examine.js'
import type { Finding } from '../../src/checks/finding.js'
import { runAdmin } from '../../src/commands/admin/run.js'
import { loadConfig } from '../../src/config.js'
import { type Clock, systemClock } from '../../src/core/time.js'
import { type Installation, inDatabase, newInstallation } from '../commands/admin-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, availableRedis, quickestDatabase } from '../support/database/database.js'

/** The findings by check. */
async function found(env: NodeJS.ProcessEnv, clock: Clock = systemClock) {
  const findings = await examine(env, clock)
  return new Map(findings.map((finding): [string, Finding] => [finding.check, finding]))
}

describe.each(availableDatabases())('doctor on %s', { timeout: 120_000 }, (kind) => {
  it('says what a blank installation lacks and creates nothing', async () => {
    const installation = await newInstallation(kind)
    onTestFinished(() => installation.remove())
    const findings = await found(installation.env)
    if (kind === 'pglite') {
      expect(findings.get('database')).toEqual({
        check: 'database',
        status: 'warning',
        message: `${installation.env.DATA_DIR} contains no database yet`,
        advice: 'start the gateway (npm start), which creates it',
      })
      expect(existsSync(installation.env.DATA_DIR ?? '')).toBe(false)
      return
    }
    expect(findings.get('migrations')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/^pending: \d+_baseline/),
      advice: 'run npm run admin -- migrate, or start this version of the gateway; both apply them',
    })
    expect(findings.get('data')).toMatchObject({ status: 'warning', message: 'not checked' })
    expect((await found(installation.env)).get('migrations')?.message).toMatch(/^pending: /)
  })

  it('finds no problem in a seeded development installation', async () => {
    const installation = await newInstallation(kind, 'current')
    onTestFinished(() => installation.remove())
    const { code, out, err } = await runAdmin(['doctor', '--json'], installation.env)
    expect([code, err]).toEqual([0, ''])
    const { problems, checks } = JSON.parse(out)
    expect(problems).toBe(0)
    const byName = new Map<string, Finding>(checks.map((check: Finding) => [check.check, check]))
    expect(byName.get('database')?.message).toMatch(/PostgreSQL \d+(\.\d+)? answers in \d+\.\d ms$/)
    expect(byName.get('migrations')?.message).toMatch(/^all \d+ applied$/)
    expect(byName.get('clock')?.message).toMatch(/^within [01]\.\d s of the database's$/)
    expect(byName.get('data forex')).toMatchObject({ status: 'ok' })
    expect(byName.get('data forex')?.message).toMatch(/^synthetic seed, \d+ \w+ old: (fresh|stale)$/)
    expect(byName.get('redis')?.message).toBe(
      kind === 'pglite'
        ? 'not configured: quotas are counted by this process'
        : 'not configured: quotas are counted in PostgreSQL, exactly, for all nodes',
    )
    expect(byName.get('disk')?.message).toMatch(/free for /)
  })
})

describe('doctor', { timeout: 120_000 }, () => {
  let installation: Installation
  const sql = (text: string) => inDatabase(installation, (database) => database.rows(text))

  beforeAll(async () => {
    installation = await newInstallation(quickestDatabase(), 'empty')
  })
  afterAll(() => installation?.remove())

  it('reports a clock that differs by more than 2 s, and its direction', async () => {
    const off = (ms: number): Clock => ({ now: () => new Date(Date.now() + ms) })
    expect((await found(installation.env, off(5_000))).get('clock')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/^5\.0 s ahead of the database's/),
      advice: expect.stringContaining('NTP'),
    })
    expect((await found(installation.env, off(-5_000))).get('clock')?.message).toMatch(/^5\.0 s behind /)
    expect((await found(installation.env, off(1_000))).get('clock')?.status).toBe('ok')
  })

  it('reports the age of live data, and how to fill empty datasets', async () => {
    await sql(
      `insert into dataset_state (dataset, version, source, is_dev_dataset, observed_at, changed_at)
       values ('forex', 1, 'ecb', false, '2026-11-20T15:00:00Z', '2026-11-20T15:05:00Z')`,
    )
    const at = async (instant: string) =>
      (await found(installation.env, { now: () => new Date(instant) })).get('data forex')
    // Friday's rates are due again on Monday at 15:00 UTC, so they are expired nine days after Friday.
    expect(await at('2026-11-23T15:00:00Z')).toMatchObject({
      status: 'ok',
      message: 'live from ecb, 3 days old: fresh',
    })
    expect(await at('2026-11-23T16:00:00Z')).toMatchObject({
      status: 'warning',
      message: 'live from ecb, 3 days old: stale, was due 2026-11-23T15:00:00.000Z',
      advice: expect.stringContaining('npm run ingest -- ecb-history or ecb-daily'),
    })
    expect(await at('2026-11-29T15:00:01Z')).toMatchObject({ status: 'problem' })
    expect((await found(installation.env)).get('data instruments')).toMatchObject({
      status: 'off',
      message: 'empty: its endpoints respond with 503',
      advice: expect.stringContaining('npm start'),
    })
  })

  it('reports data changed in the future, which a wrong clock causes', async () => {
    await sql(`update dataset_state set changed_at = now() + interval '3 hours'`)
    expect((await found(installation.env)).get('data forex')).toMatchObject({
      status: 'warning',
      message: 'changed 3 h in the future by this clock',
      advice: expect.stringContaining('NTP'),
    })
    await sql('update dataset_state set changed_at = now()')
  })

  it('reports how the newest run of each feed ended, and why', async () => {
    const feed = async (id: string) => (await found(installation.env)).get(`feed ${id}`)
    expect(await feed('ecb-daily')).toMatchObject({ status: 'off', message: 'never ran' })
    expect(await feed('bok')).toMatchObject({
      status: 'off',
      message: 'off: BOK_API_KEY is not set; it reads only files',
    })
    const insert = (status: string, started: string, more: string) =>
      sql(
        `insert into ingest_run (run_id, feed, provider, dataset, started_at, status, origin, finished_at, error, rejected)
         values (gen_random_uuid(), 'ecb-daily', 'ecb', 'forex', now() - interval '${started}', '${status}', 'x', ${more})`,
      )
    await insert('succeeded', '3 hours', 'now(), null, 2')
    expect(await feed('ecb-daily')).toMatchObject({
      status: 'ok',
      message: 'succeeded 3 h ago, 2 rows rejected',
    })
    await insert('failed', '2 hours', `now(), 'BrokenBody: the body is empty', 0`)
    expect(await feed('ecb-daily')).toEqual({
      check: 'feed ecb-daily',
      status: 'warning',
      message: 'failed 2 h ago: BrokenBody: the body is empty',
      advice: 'remove the cause and run npm run ingest -- ecb-daily; the earlier data is unchanged',
    })
    await insert('running', '90 seconds', 'null, null, 0')
    expect(await feed('ecb-daily')).toMatchObject({ status: 'ok', message: 'running since 90 s' })
  })

  it('reports feeds that only the schedule runs, and how often they failed in a row', async () => {
    const env = { ...installation.env, SCHEDULE: 'all' }
    const feed = async () => (await found(env)).get('feed candles-kraken')
    expect(await feed()).toBeUndefined()
    for (const [status, minutes] of [
      ['failed', 50],
      ['succeeded', 40],
      ['failed', 30],
      ['failed', 20],
      ['failed', 10],
    ] as const) {
      await sql(
        `insert into ingest_run (run_id, feed, provider, dataset, started_at, status, origin, finished_at, error, rejected)
         values (gen_random_uuid(), 'candles-kraken', 'kraken', 'candles', now() - interval '${minutes} minutes', '${status}',
           'x', now(), 'did not answer', 0)`,
      )
    }
    expect(await feed()).toMatchObject({
      status: 'warning',
      message: 'failed 10 min ago, 3 times in a row: did not answer',
      advice: 'remove the cause and let the schedule run it again; the earlier data is unchanged',
    })
  })

  it('reports the last run, error and lag of each job', async () => {
    const now = new Date('2026-11-20T12:00:00Z')
    const jobs = async (schedule: string) =>
      found({ ...installation.env, SCHEDULE: schedule }, { now: () => now })
    expect((await jobs('off')).get('job forex')).toMatchObject({
      status: 'off',
      message: 'not in SCHEDULE=off',
    })
    expect((await jobs('forx')).get('schedule')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('dataset or job "forx" does not exist'),
    })
    const job = async (name: string) => (await jobs('candles,analysis')).get(`job ${name}`)
    expect((await jobs('candles')).get('job forex')?.status).toBe('off')
    const noteRun = (status: string, dueAt: string, attempt: number, more: string) =>
      sql(
        `insert into job_run (job, due_at, covers_to, status, attempt, term, started_at, finished_at, next_attempt_at, detail)
         values ('candles', '${dueAt}', '${dueAt}', '${status}', ${attempt}, 1, '${dueAt}', ${more})`,
      )
    await noteRun('succeeded', '2026-11-20T11:30:00Z', 1, `'2026-11-20T11:30:05Z', null, null`)
    expect(await job('candles')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^last run .*succeeded, 29 min behind$/),
      advice: expect.stringContaining('check that a gateway with this SCHEDULE runs'),
    })
    await noteRun(
      'retrying',
      '2026-11-20T11:50:00Z',
      1,
      `'2026-11-20T11:50:05Z', '2026-11-20T12:00:05Z', 'no answer'`,
    )
    expect(await job('candles')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/will be repeated, 10 min behind: no answer$/),
    })
    await sql(`update job_run set attempt = 4 where status = 'retrying'`)
    expect(await job('candles')).toEqual({
      check: 'job candles',
      status: 'warning',
      message: '4 attempts failed or did not finish, 10 min behind: no answer',
      advice: 'remove the cause; the schedule tries again by itself',
    })
    await noteRun('succeeded', '2026-11-20T12:00:00Z', 1, `'2026-11-20T12:00:00Z', null, null`)
    expect(await job('candles')).toMatchObject({ status: 'ok', message: expect.stringMatching(/succeeded$/) })
  })

  it.skipIf(quickestDatabase() === 'pglite')('reports missing rights of the database role', async () => {
    const name = `mdg_doctor_${process.pid}`
    await sql(`create role ${name} login`)
    const url = new URL(installation.env.DATABASE_URL ?? '')
    url.username = name
    const role = async () => (await found({ ...installation.env, DATABASE_URL: url.href })).get('role')
    try {
      await sql(`grant select on all tables in schema public to ${name}`)
      expect(await role()).toMatchObject({
        status: 'problem',
        message: expect.stringMatching(
          / may not read and write _prisma_migrations, account, .* and \d+ more$/,
        ),
        advice: expect.stringContaining('GRANT SELECT, INSERT, UPDATE, DELETE'),
      })
      await sql(`grant all on all tables in schema public to ${name}`)
      expect(await role()).toMatchObject({
        status: 'problem',
        message: `${name} may not create tables: migrations of the next version would fail`,
      })
      await sql(`grant create on schema public to ${name}`)
      expect(await role()).toMatchObject({ status: 'ok', message: `${name} may read, write and migrate` })
      await sql(`alter role ${name} set default_transaction_read_only = on`)
      expect(await role()).toMatchObject({
        status: 'problem',
        message: 'the database does not accept writes (a standby, or default_transaction_read_only)',
      })
    } finally {
      await sql(`drop owned by ${name}`)
      await sql(`drop role ${name}`)
    }
  })

  // Production needs PostgreSQL.
  it.skipIf(quickestDatabase() === 'pglite')('reports seed data in production', async () => {
    await sql(`update dataset_state set is_dev_dataset = true, source = 'seed'`)
    const findings = await found({ ...installation.env, ...OWN_SECRETS, NODE_ENV: 'production' })
    expect(findings.get('secrets')).toMatchObject({ status: 'ok' })
    expect(findings.get('data forex')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('responses contain is_dev_dataset: true'),
      advice: 'load live data: npm run ingest -- ecb-history or ecb-daily',
    })
    const advice = (dataset: string) => findings.get(`data ${dataset}`)?.advice
    expect(advice('dividends')).toBe(
      'load your own file: npm run ingest -- dividends --file PATH; --help describes the file',
    )
    expect(advice('commodities')).toContain('npm run ingest -- imf-commodities --file PATH')
    expect(advice('asset_onchain')).toBe('load live data: npm run ingest -- coinmetrics')
  })

  it('reports migrations that are unknown, edited or incomplete', async () => {
    const migrations = async () => (await found(installation.env)).get('migrations')
    await sql(
      `insert into "_prisma_migrations" (id, checksum, migration_name, finished_at)
       values ('x', 'x', '29990101000000_tomorrow', now())`,
    )
    expect(await migrations()).toMatchObject({
      status: 'warning',
      message: 'the database is newer than this code: 29990101000000_tomorrow',
      advice: 'deploy the version that contains these migrations',
    })
    await sql(
      `update "_prisma_migrations" set checksum = 'x' where migration_name = '20261128120000_baseline'`,
    )
    expect(await migrations()).toEqual({
      check: 'migrations',
      status: 'problem',
      message: 'Migration 20261128120000_baseline was edited after it was applied',
      advice: 'restore it and add a new migration instead',
    })
    await sql(`update "_prisma_migrations" set finished_at = null where id = 'x'`)
    expect(await migrations()).toMatchObject({
      status: 'problem',
      message: 'Migration 29990101000000_tomorrow failed half-way earlier',
      advice: expect.stringContaining('prisma migrate resolve'),
    })
  })
})

describe('doctor without a database', () => {
  const OUT = { DATABASE_URL: 'postgresql://ada:hidden@127.0.0.1:1/market', ...OWN_SECRETS }

  it('reports every mistake of the configuration at once, each with the fix', async () => {
    const { code, out } = await runAdmin(['doctor', '--json'], {
      NODE_ENV: 'production',
      PORT: 'x',
      JWT_KEYS: OWN_SECRETS.JWT_KEYS,
    })
    expect(code).toBe(1)
    const { status, problems, warnings, checks } = JSON.parse(out)
    expect([status, problems, warnings]).toEqual(['problem', 3, 0])
    expect(checks.map((check: Finding) => [check.message.split(/[ :]/)[0], check.advice])).toEqual([
      ['DATABASE_URL', 'set DATABASE_URL=postgresql://user:password@host:5432/database'],
      ['KEY_PEPPER', 'set KEY_PEPPER="$(openssl rand -base64 48)"; create it once and keep it'],
      ['PORT', 'correct PORT, or remove it to use its default'],
    ])
  })

  it('reports an unreachable database and Redis without showing a password', async () => {
    const { code, out } = await runAdmin(['doctor'], { ...OUT, REDIS_URL: 'redis://:hidden@127.0.0.1:1' })
    expect(code).toBe(1)
    expect(out).toContain(
      'problem  database          127.0.0.1:1/market cannot be opened: it refused the connection, so no PostgreSQL listens there (connect ECONNREFUSED 127.0.0.1:1)\n',
    )
    expect(out).toMatch(
      /^problem {2}redis +127\.0\.0\.1:1 is unreachable \(connect ECONNREFUSED 127\.0\.0\.1:1\): each node counts quotas by itself/m,
    )
    expect(out).toMatch(/\n2 problems, 0 warnings\.\n$/)
    expect(out).not.toContain('hidden')
  })

  it('reports development secrets in production, on a public host and on a shared database', async () => {
    const known = loadConfig({})
    const both = { KEY_PEPPER: known.keyPepper, JWT_KEYS: `${OWN_SECRETS.JWT_KEYS},${known.jwtKeys}` }
    const places = [
      { ...OUT, NODE_ENV: 'production' },
      { HOST: '0.0.0.0' },
      { DATABASE_URL: OUT.DATABASE_URL },
    ]
    for (const place of places) {
      const findings = await examine({ ...place, ...both }, systemClock)
      expect(findings).toEqual(
        ['KEY_PEPPER', 'JWT_KEYS'].map((name) => ({
          check: 'configuration',
          status: 'problem',
          message: expect.stringContaining(`${name}: the development value is public`),
          advice: expect.stringContaining(`set ${name}=`),
        })),
      )
    }
    expect((await found({ DATA_DIR: '/nowhere/data' })).get('secrets')).toMatchObject({
      status: 'ok',
      message: 'development values, which only this machine can use',
    })
    expect((await found(OUT)).get('secrets')).toMatchObject({ message: 'set for this installation' })
  })

  it('reports two token keys with one name', async () => {
    const env = { ...OUT, JWT_KEYS: `${OWN_SECRETS.JWT_KEYS},${OWN_SECRETS.JWT_KEYS}` }
    expect((await found(env)).get('configuration')).toMatchObject({
      status: 'problem',
      message: 'JWT_KEYS: two token keys have the same kid',
    })
  })

  it.skipIf(availableRedis() === null)('reports a Redis that answers', async () => {
    const redis = (await found({ ...OUT, REDIS_URL: availableRedis() ?? '' })).get('redis')
    expect(redis?.status).toBe('ok')
    expect(redis?.message).toMatch(/^[\w.:]+ answers in \d+\.\d ms$/)
  })
})
