import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examine } from '../../src/checks/examine.js'
import { systemClock } from '../../src/core/time.js'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import { keepUpRoles } from '../../src/domains/access/sql-credentials/sql-credential-upkeep.js'
import { SQL_RISKS } from '../../src/platform/database/sql-roles/sql-risk-names.js'
import { availableDatabases } from '../support/database/database.js'
import { openSqlWorld, type SqlWorld } from '../support/database/sql-world.js'

const hasPostgres = availableDatabases().includes('postgres')

describe.skipIf(!hasPostgres)('the SQL credentials check of doctor', { timeout: 120_000 }, () => {
  let world: SqlWorld
  beforeAll(async () => {
    world = await openSqlWorld('plain user')
  })
  afterAll(() => world?.close())

  async function findings(accepted: readonly string[] = []) {
    const env = { ...world.env, NODE_ENV: 'test', SQL_ACCEPTED_RISKS: accepted.join(',') }
    const all = await examine(env, systemClock)
    return all.filter(({ check }) => check === 'sql credentials').map(({ check: _, ...rest }) => rest)
  }

  it('names the missing right of the gateway’s user and the statement that grants it', async () => {
    const { user } = world
    const missing = (lack: string, grant: string) => ({
      status: 'warning',
      message: `cannot be created: ${user} ${lack}`,
      advice: `as a superuser: ${grant}`,
    })
    expect(await findings()).toEqual([missing('may not create roles', `ALTER ROLE "${user}" CREATEROLE`)])
    await world.asSuperuser(`ALTER ROLE "${user}" CREATEROLE NOINHERIT`)
    expect(await findings()).toContainEqual(
      missing('does not inherit from roles', `ALTER ROLE "${user}" INHERIT`),
    )
    await world.asSuperuser(`ALTER ROLE "${user}" INHERIT`)
    await world.asSuperuser('ALTER SCHEMA star_public OWNER TO postgres')
    expect(await findings()).toEqual([
      missing(
        'does not own the schema star_public with its views',
        `ALTER SCHEMA star_public OWNER TO "${user}", and the same for its views`,
      ),
    ])
    await world.asSuperuser(`ALTER SCHEMA star_public OWNER TO "${user}"`)
    expect((await findings()).some(({ message }) => message.startsWith('cannot be created: '))).toBe(false)
  })

  it('names rights of every login beyond reading, and how to revoke them', async () => {
    const advices = async () =>
      Object.fromEntries((await findings()).map(({ message, advice }) => [message, advice]))
    const temporary =
      'temporary-tables: every login may create temporary tables and functions, because PUBLIC may'
    const large =
      'large-objects: every login may create large objects and write messages into the write-ahead log, because PUBLIC may'
    // What the gateway revokes before the first login is no risk.
    const open = SQL_RISKS.filter(
      (name) => !['temporary-tables', 'schema-public', 'relations'].includes(name),
    )
    expect((await findings())[0]).toEqual({
      status: 'warning',
      message: `cannot be created while these risks are open: ${open.join(', ')}`,
      advice: `run the statements of the lines below, or accept the risks: SQL_ACCEPTED_RISKS=${open.join(',')}`,
    })
    expect(await findings(open)).toEqual([
      {
        status: 'ok',
        message: `can be created; none exist yet; accepted risks: ${open.join(', ')}`,
        advice: null,
      },
    ])
    const { raw_key: key } = await createAccountWithKey(world.app.access, { tier: 'pro', label: 'x' })
    const path = '/v1/billing/sql-credentials'
    const create = async () =>
      expect((await world.app.rest(path, { key, method: 'POST', body: {} })).status).toBe(201)
    await create()
    const name = new URL(world.url).pathname.slice(1)
    await world.asSuperuser(`GRANT TEMPORARY ON DATABASE "${name}" TO PUBLIC`)
    const before = await advices()
    expect(before[temporary]).toBe(
      'the gateway revokes this at its next start, or when it creates the next credential',
    )
    expect(before[large]).toContain('REVOKE EXECUTE ON FUNCTION lo_creat(integer), ')
    expect(Object.keys(before)).toContainEqual(
      expect.stringMatching(
        /^logins may also connect to .*, until the gateway ends the session within a second$/,
      ),
    )
    await create()
    const after = await advices()
    expect(Object.keys(after)).not.toContain(temporary)
    expect(Object.keys(after)).toContain(large)
    // The advice is what has to be run, as it is.
    const [, statements = ''] = (after[large] ?? '').split('superuser: ')
    await world.asSuperuser(statements)
    expect(Object.keys(await advices())).not.toContain(large)
    // The gateway itself goes on making temporary tables.
    await world.database.transaction((tx) => tx.script('create temporary table mine (a int) on commit drop'))
    // So are all others; then no login may do any of it, and the gateway's user does its work as before.
    for (const [message, advice] of Object.entries(await advices())) {
      const [, toRun] = (advice ?? '').split('superuser: ')
      if (toRun !== undefined && message.includes(': every login may')) await world.asSuperuser(toRun)
    }
    expect(Object.keys(await advices()).filter((message) => message.includes(': every login'))).toEqual([])
    await world.asSuperuser('UPDATE sql_credential SET revoked_at = now()')
    await create()
    const { failures, ...upkeep } = await keepUpRoles(world.database)
    expect(failures).toEqual([])
    expect(upkeep.dropped).toEqual([])
    await world.asSuperuser('GRANT SELECT ON account TO PUBLIC')
    expect(await findings()).toContainEqual({
      status: 'problem',
      message: 'relations: every login may use public.account, because PUBLIC may',
      advice: 'REVOKE ALL ON these FROM PUBLIC',
    })
  })
})
