import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import type { SqlCredentialCreated } from '../../../src/domains/access/sql-credentials/sql-credential-model.js'
import { endSessions } from '../../../src/platform/database/sql-roles/end-sessions.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../../support/database/database.js'
import {
  connectAs,
  type HolderSession,
  openSqlWorld,
  type SqlWorld,
} from '../../support/database/sql-world.js'

/** SQLSTATE. */
const DENIED = '42501'
/** Of a session that the guard ends. */
const ENDED = '57P01'
const READ_ONLY = '25006'
const CANCELLED = '57014'
/** A role may look for what it may not see: then it is not there. */
const NO_TABLE = '42P01'

/** A second, and what a busy machine may add: what the guard does not end goes on for longer, or for ever. */
const SOON_MS = 20_000

/** Far more than exceed the limit of temporary files. */
const MAX_CURSORS = 100

const hasPostgres = availableDatabases().includes('postgres')

describe.skipIf(!hasPostgres).each(['creator of roles', 'superuser'] as const)(
  'the holder of SQL credentials made by a %s',
  { timeout: 120_000 },
  (kind) => {
    let world: SqlWorld
    let elsewhere: string
    const sessions: HolderSession[] = []
    /** Idle in a transaction since the beginning: the last test looks when they ended. */
    const idle: { readonly session: HolderSession; readonly ended: Promise<number> }[] = []

    beforeAll(async () => {
      world = await openSqlWorld(kind)
      await world.startGuard()
      elsewhere = await createPostgresDatabase()
      idle.push(await idleSession(), await idleSession('set idle_in_transaction_session_timeout to 0'))
    })
    afterEach(async () => {
      for (const session of sessions.splice(0)) await session.close()
    })
    afterAll(async () => {
      for (const each of idle) await each.session.close()
      if (elsewhere) await dropPostgresDatabase(elsewhere)
      await world?.close()
    })

    async function credential(): Promise<SqlCredentialCreated & { readonly key: string }> {
      const { raw_key: key } = await createAccountWithKey(world.app.access, { tier: 'pro', label: 'x' })
      const path = '/v1/billing/sql-credentials'
      const answer = await world.app.rest<SqlCredentialCreated>(path, { key, method: 'POST', body: {} })
      expect(answer.status).toBe(201)
      return { ...answer.body, key }
    }
    async function session(of?: SqlCredentialCreated, database?: string): Promise<HolderSession> {
      const opened = await connectAs(of ?? (await credential()), database === undefined ? {} : { database })
      sessions.push(opened)
      return opened
    }
    async function idleSession(...before: readonly string[]) {
      const opened = await connectAs(await credential())
      for (const sql of [...before, 'begin', 'select 1']) await opened.run(sql)
      const ended = opened.endsWithin(30_000 + SOON_MS)
      ended.catch(() => {}) // the test that waits for it fails
      return { session: opened, ended }
    }
    /** Has a holder change its role, in a session of its own: the guard may end one that it sees in the act. */
    async function changed(own: SqlCredentialCreated, sql: string): Promise<void> {
      for (;;) {
        const writer = await session(own)
        const refusals = [
          await writer.refusal('set default_transaction_read_only to off'),
          await writer.refusal(sql),
        ]
        const wasEnded = refusals.some((said) => said === ENDED || said?.startsWith('Error: '))
        if (!wasEnded) return
      }
    }
    /** Waits for a whole pass of the guard from now on: it has then seen all that there is. */
    async function passed(): Promise<void> {
      const seen = await session()
      await seen.run('select pg_advisory_lock(2)')
      await seen.endsWithin(SOON_MS)
    }

    it('reads and writes nothing beyond the views, whatever it sets', async () => {
      const willing = async () => {
        const opened = await session()
        await opened.run('set default_transaction_read_only to off')
        return opened
      }
      let holder = await willing()
      // The guard ends a session that it sees in the act of writing, whether that is refused or not: at the next attempt it is.
      const refusal = async (sql: string) => {
        const said = await holder.refusal(sql)
        if (said !== ENDED && !said?.startsWith('Error: ')) return said
        holder = await willing()
        return holder.refusal(sql)
      }
      const other = await credential()
      expect(await holder.run('select * from sql_world_asset')).toEqual([['not for holders']])
      for (const table of ['account', 'api_key', 'audit_event', 'sql_credential', 'sql_world_secret'])
        expect([table, await refusal(`select * from public.${table}`)]).toEqual([table, DENIED])
      const refused = {
        'insert into public.sql_world_secret values (1)': DENIED,
        'update star_public.sql_world_asset set value = 1': DENIED,
        'delete from star_public.sql_world_asset': DENIED,
        'truncate public.account': DENIED,
        'create table public.mine (a int)': DENIED,
        'create table star_public.mine (a int)': DENIED,
        'create schema mine': DENIED,
        'create temporary table mine (a int)': DENIED,
        'create function pg_temp.mine() returns int language sql as $$ select 1 $$': DENIED,
        'create or replace view star_public.sql_world_asset as select 1': DENIED,
        'grant select on star_public.sql_world_asset to public': null,
        'begin; lock table public.account': DENIED,
        rollback: null,
        'select * from public.sql_world_secret for update': DENIED,
        "select pg_read_file('/etc/passwd')": DENIED,
        "select pg_ls_dir('/')": DENIED,
        "select lo_import('/etc/passwd')": DENIED,
        "copy star_public.sql_world_asset to '/tmp/leak'": DENIED,
        "copy public.sql_world_secret from program 'id'": DENIED,
        'copy public.sql_world_secret to stdout': DENIED,
        'select * from pg_authid': DENIED,
        'select * from pg_hba_file_rules': DENIED,
        'create extension dblink': DENIED,
        'create role mine': DENIED,
        [`alter role ${world.user} password 'x'`]: DENIED,
        [`alter role ${other.username} password 'x'`]: DENIED,
        [`grant ${world.user} to current_user`]: DENIED,
        [`set role ${world.user}`]: DENIED,
        [`set role ${other.username}`]: DENIED,
        [`set session authorization ${world.user}`]: DENIED,
        'set temp_file_limit to -1': DENIED,
        'alter system set log_statement to ddl': DENIED,
        'vacuum public.account': null,
        'select pg_reload_conf()': DENIED,
        'select pg_switch_wal()': DENIED,
      }
      for (const [sql, code] of Object.entries(refused))
        expect([sql, await refusal(sql)]).toEqual([sql, code])
      // What gives a warning and no error has changed nothing.
      const [granted] = await world.asSuperuser(
        `select has_table_privilege('public', 'star_public.sql_world_asset', 'select')`,
      )
      expect(granted).toEqual([false])
      expect(await holder.refusal("select * from dblink('', '')")).not.toBeNull()
      expect(await holder.refusal('select * from accounts')).toBe(NO_TABLE)
    })

    it('sees no statement of others, and cannot end their sessions', async () => {
      const holder = await session()
      const stranger = await session()
      const [pids] = await stranger.run('select pg_backend_pid()')
      const seen = `select count(*)::int from pg_stat_activity where query <> '<insufficient privilege>'
           and usename <> current_user and backend_type = 'client backend'`
      if (kind === 'superuser') expect(await holder.refusal(seen)).toBe(DENIED)
      else expect(await holder.run(seen)).toEqual([[0]])
      expect(await holder.refusal('select pg_terminate_backend($1)', pids)).toBe(DENIED)
      expect(await stranger.run('select 1')).toEqual([[1]])
    })

    it('finds no id of a credential in the catalogue', async () => {
      const other = await credential()
      const holder = await session()
      const texts = await holder.run(
        `select description from pg_shdescription union all select description from pg_description`,
      )
      expect(texts.flat().join('\n')).not.toContain(other.credential_id)
    })

    it.runIf(kind === 'superuser')(
      'sees neither row counts of tables nor names of other logins',
      async () => {
        await credential()
        const holder = await session()
        const refused = [
          'select reltuples from pg_class',
          'select relpages from pg_catalog.pg_class',
          'select * from pg_class',
          'select n_live_tup from pg_stat_all_tables',
          "select n_tup_ins from pg_stat_user_tables where relname = 'account'",
          "select pg_stat_get_live_tuples('public.account'::regclass)",
          "select pg_relation_size('public.account')",
          "select pg_total_relation_size('public.account')",
          'select heap_blks_read from pg_statio_all_tables',
          'select usename from pg_stat_activity',
          'select rolname from pg_roles',
          'select usename from pg_user',
          'select groname from pg_group',
          'select member::regrole from pg_auth_members',
          'select setrole::regrole from pg_db_role_setting',
        ]
        for (const sql of refused) expect([sql, await holder.refusal(sql)]).toEqual([sql, DENIED])
        // Tools find the views all the same.
        const views = await holder.run(
          `select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'star_public' and c.relkind = 'v' and pg_table_is_visible(c.oid)`,
        )
        expect(views.flat()).toContain('sql_world_asset')
      },
    )

    it.runIf(kind === 'superuser')('can run no program, and keeps no large setting', async () => {
      const holder = await session()
      const refused = [
        "do $$ begin raise log 'a line of the log'; end $$",
        "select set_config('a.b', repeat('x', 1000000), false)",
        "select pg_notify('a', 'b')",
      ]
      for (const sql of refused) expect([sql, await holder.refusal(sql)]).toEqual([sql, DENIED])
    })

    it('cannot extend its own life or lift its connection limit', async () => {
      const own = await credential()
      const holder = await session(own)
      await holder.run('set default_transaction_read_only to off')
      for (const change of [
        "valid until 'infinity'",
        'connection limit -1',
        'createrole',
        'superuser',
        'login',
      ])
        expect([change, await holder.refusal(`alter role ${own.username} ${change}`)]).toEqual([
          change,
          DENIED,
        ])
      expect(await holder.refusal(`alter role ${own.username} rename to sql_ffffffff`)).not.toBeNull()
    })

    it('is limited to five connections', async () => {
      const own = await credential()
      const opened: HolderSession[] = []
      for (let at = 0; at < 5; at += 1) opened.push(await session(own))
      await expect(session(own)).rejects.toThrow(/too many connections for role/)
      for (const each of opened) expect(await each.run('select 1')).toEqual([[1]])
    })

    it('is cut at 5 s by the server; the session stays', async () => {
      const holder = await session()
      const startedAt = performance.now()
      expect(await holder.refusal('select pg_sleep(20)')).toBe(CANCELLED)
      const tookMs = performance.now() - startedAt
      expect(tookMs).toBeGreaterThan(4_900)
      expect(await holder.run('select 1')).toEqual([[1]])
    })

    it('is ended soon after 5 s if it has disabled that limit, in its session or for its role', async () => {
      const own = await credential()
      const inSession = await session(own)
      await inSession.run('set statement_timeout to 0')
      const forRole = await session(own)
      await forRole.run('set default_transaction_read_only to off')
      await forRole.run(`alter role ${own.username} set statement_timeout to 0`)
      const later = await session(own)
      expect(await later.run("select current_setting('statement_timeout')")).toEqual([['0']])
      const slow = [inSession, later].map((each) => each.refusal('select pg_sleep(60)'))
      const tookMs = await Promise.all([inSession, later].map((each) => each.endsWithin(6_000 + SOON_MS)))
      for (const ms of tookMs) expect(ms).toBeGreaterThan(4_900)
      expect(await Promise.all(slow)).toEqual(['57P01', '57P01'])
    })

    it('is ended if one message of many statements takes longer', async () => {
      const holder = await session()
      const all = holder.refusal('select pg_sleep(4); select pg_sleep(4); select pg_sleep(4)')
      await holder.endsWithin(6_000 + SOON_MS)
      expect(await all).toBe('57P01')
    })

    it('is ended soon if it holds an advisory lock, of a session or a transaction', async () => {
      const holder = await session()
      await holder.run('select pg_advisory_lock(72707369)')
      await holder.endsWithin(SOON_MS)
      const other = await session()
      await other.run('begin')
      await other.run("select pg_advisory_xact_lock_shared(hashtext('ingest forex'))")
      await other.endsWithin(SOON_MS)
      const [held] = await world.asSuperuser(
        `select count(*)::int from pg_locks where locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`,
      )
      expect(held).toEqual([0])
    })

    it('is ended soon in another database of the server', async () => {
      const holder = await session(undefined, new URL(elsewhere).pathname.slice(1))
      await holder.endsWithin(SOON_MS)
    })

    it('leaves no large object, and is ended while it writes one', async () => {
      const holder = await session()
      await holder.run('set default_transaction_read_only to off')
      const refusal = await holder.refusal("select lo_from_bytea(0, 'x')")
      if (kind === 'superuser') expect(refusal).toBe(DENIED)
      else {
        await holder.refusal('begin')
        await holder.refusal("select lo_from_bytea(0, 'x')")
        await holder.endsWithin(SOON_MS)
      }
      const largeObjects = () => world.asSuperuser('select count(*)::int from pg_largeobject_metadata')
      await expect.poll(largeObjects, { timeout: SOON_MS, interval: 100 }).toEqual([[0]])
      const logged = await (await session()).refusal("select pg_logical_emit_message(false, 'x', 'y')")
      expect(logged).toBe(kind === 'superuser' ? DENIED : null)
    })

    it('writes nothing by default, and gets an error that says so', async () => {
      const own = await credential()
      const holder = await session(own)
      expect(await holder.refusal(`alter role ${own.username} set work_mem to '1GB'`)).toBe(READ_ONLY)
      expect(await holder.refusal('create table star_public.mine (a int)')).not.toBeNull()
      expect(await holder.run('select 1')).toEqual([[1]])
    })

    it('ends with the credential, whatever it has changed of its own role', async () => {
      const own = await credential()
      await changed(own, `alter role ${own.username} password 'mine alone'`)
      // On PostgreSQL 15 and older a role may take back the membership of the gateway in itself.
      await changed(own, `revoke ${own.username} from ${world.user}`)
      const holder = await session({ ...own, password: 'mine alone' })
      await holder.run('begin')
      const ended = holder.endsWithin(SOON_MS)
      const path = `/v1/billing/sql-credentials/${own.credential_id}`
      expect((await world.app.rest(path, { key: own.key, method: 'DELETE' })).status).toBe(204)
      await ended
      await expect(connectAs({ ...own, password: 'mine alone' })).rejects.toThrow(
        /is not permitted to log in|does not exist|authentication failed/,
      )
    })

    it('ends when it expires, and its role is removed', async () => {
      const own = await credential()
      const holder = await session(own)
      await holder.run('begin')
      await world.asSuperuser(`alter role ${own.username} valid until '2026-01-01'`)
      await world.asSuperuser(
        `update sql_credential set created_at = '2025-01-01', expires_at = '2026-01-01' where role_name = $1`,
        [own.username],
      )
      await holder.endsWithin(SOON_MS)
      const role = () => world.asSuperuser('select 1 from pg_roles where rolname = $1', [own.username])
      await expect.poll(role, { timeout: SOON_MS, interval: 100 }).toEqual([])
      expect(world.guardLines.join('')).toContain(own.username)
    })

    it('ends even if the process that revoked it was killed before it ended the role', async () => {
      const own = await credential()
      const holder = await session(own)
      await holder.run('begin')
      await world.asSuperuser('update sql_credential set revoked_at = now() where role_name = $1', [
        own.username,
      ])
      await holder.endsWithin(SOON_MS)
      await expect(connectAs(own)).rejects.toThrow(/is not permitted to log in|authentication failed/)
    })

    it('ends if its account is deleted from the table, without a request', async () => {
      const own = await credential()
      const holder = await session(own)
      await holder.run('begin')
      await world.asSuperuser(
        `update account set deleted_at = now() where account_id = (select account_id from sql_credential where role_name = $1)`,
        [own.username],
      )
      await holder.endsWithin(SOON_MS)
    })

    it('ends if its account lacks star:read, even if an earlier version allowed it', async () => {
      const own = await credential()
      const holder = await session(own)
      await holder.run('begin')
      await world.asSuperuser(
        `update account set tier = 'growth' where account_id = (select account_id from sql_credential where role_name = $1)`,
        [own.username],
      )
      await holder.endsWithin(SOON_MS)
    })

    it('is ended between two transactions once its session is old, and may log in again', async () => {
      const own = await credential()
      const [busy, idleOne] = [await session(own), await session(own)]
      await busy.run('begin')
      await idleOne.run('select 1')
      await sleep(300)
      const ended = await endSessions(world.database, { sessionMs: 200 })
      expect(ended.filter(({ role }) => role === own.username).map(({ reason }) => reason)).toEqual(['age'])
      await idleOne.endsWithin(SOON_MS)
      expect(busy.isOpen).toBe(true)
      expect(await (await session(own)).run('select 1')).toEqual([[1]])
    })

    it('is ended if the sessions of its role exceed the limit of temporary files', async () => {
      await world.asSuperuser(`grant execute on function pg_ls_tmpdir(oid) to ${world.user}`)
      const own = await credential()
      const holders = [await session(own), await session(own)]
      // What a cursor holds outlives its transaction. A statement has five seconds, so each is small, and one may fail on a busy
      // machine.
      const rows = `select repeat(md5(g::text), 50), g from generate_series(1, 6000) g`
      for (let at = 0; at < MAX_CURSORS && holders.some(({ isOpen }) => isOpen); at += 1)
        for (const holder of holders)
          await holder.refusal(`rollback; begin; declare kept_${at} cursor with hold for ${rows}; commit`)
      for (const holder of holders) await holder.endsWithin(SOON_MS)
      // The line of the guard comes after the end of the session.
      const lines = () => world.guardLines.join('')
      await expect.poll(lines, { timeout: SOON_MS }).toContain('temporary files')
    })

    it('is disabled after its sessions were ended three times within an hour', async () => {
      const own = await credential()
      const insert = `insert into sql_session_end (role_name, pid, started_at, ended_at, reason)
        select $1, n, now(), now() - n * interval '20 minutes', 'write' from generate_series(1, 3) n`
      await world.asSuperuser(insert, [own.username])
      const holder = await session(own)
      await holder.run('select pg_advisory_lock(1)')
      await holder.endsWithin(SOON_MS)
      const refused = async () =>
        await connectAs(own).then((let_in) => let_in.close().then(() => 'in'), String)
      await expect
        .poll(refused, { timeout: SOON_MS, interval: 200 })
        .toMatch(/is not permitted to log in|does not exist/)
      const { body } = await world.app.rest<{ data: readonly object[] }>('/v1/billing/sql-credentials', {
        key: own.key,
      })
      expect(body.data).toMatchObject([{ disabled_reason: 'limits' }])
    })

    it('is ended if its idle transaction delays a change of a table', async () => {
      const holder = await session()
      await holder.run('begin')
      await holder.run('select * from sql_world_asset')
      const ended = holder.endsWithin(SOON_MS)
      await world.database.script('alter table sql_world_secret add column other int')
      await ended
    })

    it('is seen, and its last use recorded', async () => {
      const own = await credential()
      const openedAt = Date.now()
      await session(own)
      const lastUse = async () => {
        const path = '/v1/billing/sql-credentials'
        const { body } = await world.app.rest<{ data: { last_used_at: string | null }[] }>(path, {
          key: own.key,
        })
        return body.data[0]?.last_used_at ?? null
      }
      await expect.poll(lastUse, { timeout: SOON_MS, interval: 200 }).not.toBeNull()
      expect(Math.abs(Date.parse((await lastUse()) ?? '') - openedAt)).toBeLessThan(60_000)
    })

    it('is distinguished from roles that the gateway did not create', async () => {
      await world.asSuperuser("create role sql_0badcafe login password 'x'")
      try {
        const foreign = await session({ ...(await credential()), username: 'sql_0badcafe', password: 'x' })
        await foreign.run('begin')
        await foreign.run('select pg_advisory_xact_lock(1)')
        await passed()
        expect(foreign.isOpen).toBe(true)
        await foreign.close()
      } finally {
        await world.asSuperuser('drop role sql_0badcafe')
      }
    })

    it('finds the views that were created again after the next start', async () => {
      const own = await credential()
      await world.database.rows('create or replace view star_public.sql_world_new as select 1 as one')
      const holder = await session(own)
      expect(await holder.refusal('select * from sql_world_new')).toBe(DENIED)
      const guard = await world.startGuard()
      await guard.migrated()
      expect(await holder.run('select * from sql_world_new')).toEqual([[1]])
      expect(await holder.refusal('drop view star_public.sql_world_new')).not.toBeNull()
    })

    // Begun before all others, so that they are not waited for alone.
    it('is ended in an idle transaction after 30 s, even if it has disabled that limit', async () => {
      for (const { ended } of idle) expect(await ended).toBeGreaterThan(29_000)
    })

    // Behind all others: it ends every session that is in a transaction.
    it.runIf(kind === 'creator of roles')(
      'is ended while it holds up the queue of notifications',
      async () => {
        const listener = await session()
        for (const sql of ['listen "1"', 'begin', 'select 1']) await listener.run(sql)
        const ended = listener.endsWithin(SOON_MS)
        const own = await credential()
        const filling = `select pg_notify(g::text, repeat('x', 7900)) from generate_series(1, 4000) g`
        await (await session(own)).refusal(filling)
        await ended
        const usage = () => world.asSuperuser('select pg_notification_queue_usage() < 0.002')
        await expect.poll(usage, { timeout: SOON_MS, interval: 100 }).toEqual([[true]])
      },
    )
  },
)
