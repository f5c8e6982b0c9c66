import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAdmin } from '../../../src/commands/admin/run.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { enter } from '../admin-world.js'

const ENV = {}
const RAW_KEY = /mdg_test_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}/g

describe('D the commands for accounts', { timeout: 120_000 }, () => {
  let database: Database
  let id: string
  let firstKey: { key_id: string; raw_key: string }
  /** Everything that was printed, for what must never be. */
  let printed = ''
  const KEPT_FROM = '0123456789abcdef'.repeat(4)

  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    const made = await json('users', 'create', '--tier', 'free', '--email', 'ada@example.org')
    id = made.account_id
    firstKey = made
  })
  afterAll(() => database?.close())

  async function admin(...args: readonly string[]) {
    // As the gateway that has the database open does it: opening it for each command would take most of the time.
    const answer = await runAdmin(args, ENV, {
      shared: database,
      signal: new AbortController().signal,
      directory: null,
    })
    printed += answer.out + answer.err
    return answer
  }
  async function json(...args: readonly string[]) {
    const { code, out, err } = await admin(...args, '--json')
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out)
  }
  const failure = async (...args: readonly string[]) => {
    const { code, out, err } = await admin(...args)
    expect([code, out]).toEqual([1, ''])
    return err
  }

  it('change the tier by e-mail or id, and say when nothing changed', async () => {
    expect(await json('users', 'set-tier', 'ADA@example.org', 'enterprise')).toEqual({
      account_id: id,
      tier: 'enterprise',
      changed: true,
    })
    expect(await enter(database, ENV, firstKey.raw_key)).toMatchObject({ tier: 'enterprise' })
    expect((await admin('users', 'set-tier', id, 'enterprise')).out).toBe(`${id} is on enterprise already\n`)
  })

  it('set and remove the quotas of a contract', async () => {
    const contract = { month: 9_000_000, hour: 20_000 }
    const flags = ['--month', '9000000', '--hour', '20000']
    expect(await json('users', 'set-contract', id, ...flags)).toEqual({
      account_id: id,
      tier: 'enterprise',
      contract,
      in_force: true,
      quotas: contract,
    })
    expect(await enter(database, ENV, firstKey.raw_key)).toMatchObject({ contract })
    expect(await json('users', 'show', id)).toMatchObject({ contract, quotas: contract, active_keys: 1 })
    expect(await json('users', 'set-contract', id, '--clear')).toMatchObject({ contract: null })
    expect(await json('users', 'show', id)).toMatchObject({ quotas: { month: 5_000_000, hour: 13_889 } })
  })

  it('grant and remove a scope, and say when nothing changed', async () => {
    expect(await json('grants', 'add', id, 'admin')).toMatchObject({ grants: ['admin'], changed: true })
    expect(await json('grants', 'add', id, 'admin')).toMatchObject({ grants: ['admin'], changed: false })
    expect((await json('users', 'show', id)).scopes).toContain('admin')
    expect(await json('grants', 'remove', id, 'admin')).toMatchObject({ grants: [], changed: true })
    expect(await json('grants', 'remove', id, 'admin')).toMatchObject({ grants: [], changed: false })
  })

  it('create a narrowed key, show its text once, and end it', async () => {
    const made = await json('keys', 'create', id, '--label', 'dash', '--scopes', 'ohlcv:intraday, ai:read')
    expect(made.scopes).toEqual(['ai:read', 'ohlcv:intraday'])
    expect(await enter(database, ENV, made.raw_key)).toMatchObject({
      scopes: new Set(['ai:read', 'ohlcv:intraday']),
    })
    const listed = await json('keys', 'list', id)
    expect(listed.total).toBe(2)
    expect(listed.keys[0]).toEqual({
      key_id: made.key_id,
      key_prefix: made.raw_key.slice(0, 16),
      label: 'dash',
      narrowed_to: ['ai:read', 'ohlcv:intraday'],
      created_at: made.created_at,
      expires_at: null,
      revoked_at: null,
      last_used_at: expect.any(String),
      is_active: true,
    })
    const revoked = { key_id: made.key_id, account_id: id }
    expect(await json('keys', 'revoke', made.key_id)).toEqual({ ...revoked, changed: true })
    expect(await json('keys', 'revoke', made.key_id)).toEqual({ ...revoked, changed: false })
    await expect(enter(database, ENV, made.raw_key)).rejects.toMatchObject({ code: 'unauthorized' })
    expect((await admin('keys', 'list', id)).out).toMatch(/ dash .* revoked\n/)
  })

  it('refuse a key with more rights than the account, and a second account with the same e-mail', async () => {
    await json('users', 'set-tier', id, 'starter')
    expect(await failure('keys', 'create', id, '--label', 'x', '--scopes', 'history:full')).toBe(
      'admin: A key cannot hold a scope that its creator lacks, here history:full: it comes with tier growth and above; the account has tier starter.\n',
    )
    expect(await failure('users', 'create', '--tier', 'free', '--email', 'ada@example.org')).toBe(
      'admin: An account with this e-mail exists.\n',
    )
  })

  it('sum the usage of the last days only', async () => {
    await database.rows(
      `insert into usage_day (account_id, key_id, day, operation, units, requests) values
       ($1, $1, current_date, 'forex', 7, 3), ($1, $1, current_date - 6, 'assets', 5, 5),
       ($1, $1, current_date - 7, 'assets', 100, 100), ($1, $1, current_date - 200, 'assets', 100, 100)`,
      [id],
    )
    const usage = await json('usage', id, '--days', '7')
    expect(usage).toMatchObject({ account_id: id, units: 12, requests: 8 })
    expect(usage.days.map((day: { operation: string }) => day.operation)).toEqual(['forex', 'assets'])
    expect((await admin('usage', id, '--days', '1')).out).toMatch(
      /^day +operation {2}units {2}requests\n\S+ {2}forex +7 +3\n\n\S+ to \S+: 7 units, 3 requests\n$/,
    )
  })

  it('show the audit newest first, without client addresses', async () => {
    await database.rows(
      `insert into audit_event (event_id, at, action, account_id, origin, actor)
       values ($1, now(), 'login_failed', $2, $3, 'self')`,
      [randomUUID(), id, KEPT_FROM],
    )
    const { events } = await json('audit', id)
    const actions = events.map((event: { action: string }) => event.action)
    expect(actions.slice(0, -2)).toEqual([
      'login_failed',
      'tier_changed',
      'key_revoked',
      'key_created',
      'grant_changed',
      'grant_changed',
      'tier_changed',
      'tier_changed',
      'tier_changed',
    ])
    expect(actions.slice(-2).sort()).toEqual(['key_created', 'register']) // of the same instant
    expect(events[1]).toEqual({
      at: expect.any(String),
      action: 'tier_changed',
      actor: 'operator',
      key_id: null,
      details: { from: 'enterprise', to: 'starter' },
    })
    expect((await json('audit', id, '--limit', '2')).events).toEqual(events.slice(0, 2))
  })

  it('apply the retention at once', async () => {
    expect(await json('retention')).toEqual({ applied: true, audit_events_deleted: 0 })
    const rows = await database.rows('select units from usage_day order by units')
    expect(rows).toEqual([{ units: 5 }, { units: 7 }, { units: 100 }])
  })

  it('list accounts by tier and page', async () => {
    await json('users', 'create', '--tier', 'pro', '--label', 'no e-mail')
    const { users, total } = await json('users', 'list', '--tier', 'pro')
    expect([users.length, total, users[0].email]).toEqual([1, 1, null])
    expect(await json('users', 'list', '--limit', '1', '--offset', '5')).toEqual({
      users: [],
      total: 2,
      limit: 1,
      offset: 5,
    })
  })

  it('delete personal data and keys, and keep usage and audit', async () => {
    expect(await json('users', 'delete', 'ada@example.org')).toEqual({ account_id: id, revoked_keys: 1 })
    await expect(enter(database, ENV, firstKey.raw_key)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await failure('users', 'show', 'ada@example.org')).toBe('admin: unknown account ada@example.org\n')
    expect(await json('users', 'show', id)).toMatchObject({
      email: null,
      active_keys: 0,
      deleted_at: expect.any(String),
    })
    expect(await failure('users', 'set-tier', id, 'pro')).toMatch(
      new RegExp(`^admin: the account ${id} was deleted on [^\n]*\n$`),
    )
    expect(await json('usage', id)).toMatchObject({ units: 112 })
    expect((await json('audit', id)).events[0]).toMatchObject({ action: 'account_deleted' })
  })

  it('never print a digest or a hash, and print a key only when it is created', async () => {
    const hidden = await database.rows<{ digest: string }>(
      `select encode(digest, 'hex') as digest from api_key`,
    )
    for (const { digest } of hidden) expect(printed).not.toContain(digest)
    expect(printed).not.toContain(KEPT_FROM)
    const keysShown = printed.match(RAW_KEY) ?? []
    expect(keysShown).toHaveLength(3) // two accounts and one more key
    expect(new Set(keysShown).size).toBe(3)
  })
})
