import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAccounts } from '../../../../src/domains/access/account-store.js'
import { appendAudit, purgeAudit } from '../../../../src/domains/access/audit-store.js'
import { isActive, type KeyRequest, parseKeyRequest } from '../../../../src/domains/access/keys/key-model.js'
import {
  createApiKey,
  getApiKey,
  listApiKeys,
  quotaPerHour,
  revokeApiKey,
  rotateApiKey,
  usedThisHour,
} from '../../../../src/domains/access/keys/key-service.js'
import { SHOWN_KEY } from '../../../../src/domains/access/keys/key-store.js'
import { usagePort } from '../../../../src/domains/access/model.js'
import { setTier } from '../../../../src/domains/access/operator.js'
import { availableDatabases } from '../../../support/database/database.js'
import {
  type AccessWorld,
  callerOf,
  NOT_SERVED,
  openAccessWorld,
  refusalOf,
  SERVED,
} from '../access-world.js'

const SHOWN = { select: SHOWN_KEY }
const PLAIN: KeyRequest = { label: 'plain', scopes: null, expiresAt: null }
const NOBODYS = '99999999-2222-4333-8444-555555555555'
const DAY_MS = 86_400_000

describe.each(availableDatabases())('on %s', (kind) => {
  let world: AccessWorld
  beforeAll(async () => {
    world = await openAccessWorld(kind)
  })
  afterAll(() => world.close())
  const owner = async (asked?: Parameters<AccessWorld['make']>[0]) =>
    world.withKey((await world.make(asked)).raw_key)
  const isAccepted = (apiKey: string) =>
    world.authenticate({ apiKey }).then(
      () => true,
      () => false,
    )

  describe('createApiKey', () => {
    it('shows the key once with its scopes', async () => {
      const context = await owner({ tier: 'starter' })
      const expiresAt = new Date('2027-01-01T00:00:00Z')
      const made = await createApiKey(context, { label: 'dash', scopes: ['macro:read'], expiresAt })
      expect(made).toEqual({
        key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        raw_key: expect.stringMatching(/^mdg_test_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/),
        key_prefix: made.raw_key.slice(0, 16),
        label: 'dash',
        tier: 'starter',
        scopes: ['macro:read'],
        url_use: null,
        clock: null,
        created_at: world.clock.now(),
        expires_at: expiresAt,
        warning: 'Store this key now: it is shown only once and cannot be read again.',
      })
      const { keys } = await listApiKeys(context, SHOWN)
      expect(JSON.stringify([keys, await getApiKey(context, made.key_id, SHOWN)])).not.toContain(made.raw_key)
    })

    it('keeps a scope that gives access to nothing yet, but does not list it', async () => {
      const made = await world.make({ tier: 'growth', scopes: ['ai:read', NOT_SERVED] })
      expect(made.scopes).toEqual(['ai:read'])
      const context = await world.withKey(made.raw_key)
      expect(callerOf(context).scopes).toEqual(new Set(['ai:read', NOT_SERVED]))
      expect((await createApiKey(context, PLAIN)).scopes).toEqual(['ai:read'])
      expect((await world.make({ tier: 'growth' })).scopes).not.toContain(NOT_SERVED)
    })

    it('narrows the keys of a narrowed key likewise, also after a rise of the tier', async () => {
      const made = await world.make({ tier: 'starter', scopes: ['macro:read'] })
      const context = await world.withKey(made.raw_key)
      const child = await createApiKey(context, PLAIN)
      expect(child.scopes).toEqual(['macro:read'])
      await setTier(world.access, made.account_id, 'pro')
      expect(await getApiKey(context, child.key_id, SHOWN)).toMatchObject({
        isNarrowed: true,
        scopes: ['macro:read'],
      })
    })

    it('creates no key that outlives its creator, even if a rotation ends the creator', async () => {
      const full = await owner()
      const end = new Date(world.clock.now().getTime() + DAY_MS)
      const maker = await createApiKey(full, { ...PLAIN, expiresAt: end })
      const context = await world.withKey(maker.raw_key)
      expect((await createApiKey(context, PLAIN)).expires_at).toEqual(end)
      await rotateApiKey(full, { keyId: maker.key_id, graceSeconds: 60 })
      const graceEnd = new Date(world.clock.now().getTime() + 60_000)
      expect((await createApiKey(context, PLAIN)).expires_at).toEqual(graceEnd)
    })

    it('refuses a key that has ended since it was authenticated', async () => {
      const context = await owner()
      const key = await createApiKey(context, PLAIN)
      const own = await world.withKey(key.raw_key)
      await revokeApiKey(context, key.key_id)
      expect(await refusalOf(createApiKey(own, PLAIN))).toMatchObject({ code: 'unauthorized' })
      const rotation = { keyId: callerOf(context).keyId ?? '', graceSeconds: 0 }
      expect(await refusalOf(rotateApiKey(own, rotation))).toMatchObject({ code: 'unauthorized' })
    })

    it('answers a replay with 409 and the id of the created key, and creates one key for many concurrent requests', async () => {
      const context = { ...(await owner()), idempotencyKey: 'once' }
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () =>
          createApiKey(context, PLAIN).then(
            (made) => made.key_id,
            (error) => error.details[0],
          ),
        ),
      )
      const made = outcomes.find((outcome) => typeof outcome === 'string')
      const named = { field: 'key_id', message: made }
      expect(outcomes.filter((outcome) => outcome !== made)).toEqual([named, named, named, named])
      const replay = await refusalOf(createApiKey(context, PLAIN))
      expect(replay).toMatchObject({ code: 'conflict', details: [named] })
      expect(replay.message).toContain('has already created the key')
      const other = await refusalOf(createApiKey(context, { ...PLAIN, label: 'other' }))
      expect(other).toMatchObject({ code: 'conflict', details: [named] })
      expect(other.message).toContain('another body')
      expect((await listApiKeys(context, SHOWN)).total).toBe(2)
    })

    it('separates the Idempotency-Keys of accounts, and refuses one that no header can carry', async () => {
      const first = await createApiKey({ ...(await owner()), idempotencyKey: 'shared' }, PLAIN)
      const second = await createApiKey({ ...(await owner()), idempotencyKey: 'shared' }, PLAIN)
      expect(first.key_id).not.toBe(second.key_id)
      for (const idempotencyKey of ['', 'x'.repeat(256), 'é']) {
        const refusal = await refusalOf(createApiKey({ ...(await owner()), idempotencyKey }, PLAIN))
        expect(refusal).toMatchObject({ code: 'validation_error', details: [{ field: 'Idempotency-Key' }] })
      }
    })

    it('stops at 100 active keys; revoked ones do not count', async () => {
      const context = await owner()
      const made = []
      for (let count = 1; count < 100; count += 1) made.push(await createApiKey(context, PLAIN))
      const full = await refusalOf(createApiKey(context, PLAIN))
      expect(full).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('at most 100 active keys'),
      })
      const [first] = made
      // A rotation without grace ends one and makes one; with grace both would count.
      expect(
        await refusalOf(rotateApiKey(context, { keyId: first?.key_id ?? '', graceSeconds: 60 })),
      ).toEqual(full)
      const rotated = await rotateApiKey(context, { keyId: first?.key_id ?? '', graceSeconds: 0 })
      await revokeApiKey(context, rotated.key_id)
      await createApiKey(context, PLAIN)
      const { keys, total } = await listApiKeys(context, SHOWN)
      expect([total, keys.filter((key) => isActive(key, context.now)).length]).toEqual([102, 100])
      expect(keys.slice(100).every((key) => !isActive(key, context.now))).toBe(true)
    })
  })

  describe('listApiKeys and getApiKey', () => {
    it("show the account's own keys only", async () => {
      const mine = await owner()
      const theirs = await owner()
      const made = await createApiKey(mine, PLAIN)
      expect((await listApiKeys(mine, SHOWN)).keys.map((key) => key.label).sort()).toEqual(['first', 'plain'])
      expect((await listApiKeys(theirs, SHOWN)).keys.map((key) => key.keyId)).toEqual([
        callerOf(theirs).keyId,
      ])
      for (const keyId of [made.key_id, NOBODYS]) {
        const calls = [
          () => getApiKey(theirs, keyId, SHOWN),
          () => revokeApiKey(theirs, keyId),
          () => rotateApiKey(theirs, { keyId, graceSeconds: 0 }),
        ]
        for (const call of calls) expect(await refusalOf(call)).toMatchObject({ code: 'not_found' })
      }
      expect(await isAccepted(made.raw_key)).toBe(true)
    })

    it('show the units that the key used in this hour, and the quota of its account', async () => {
      const context = await owner({ tier: 'starter' })
      const caller = callerOf(context)
      const { accountId, keyId = null } = caller
      const use = (of: string | null, units: number) =>
        context.ports.get(usagePort).record({
          accountId,
          keyId: of,
          operation: 'forex',
          units,
          requests: 1,
          at: world.clock.now(),
        })
      use(keyId, 9)
      use(keyId, -2)
      use(randomUUID(), 5)
      use(null, 3)
      expect([await usedThisHour(keyId ?? '', context), quotaPerHour(context)]).toEqual([7, 278])
      expect(await getApiKey(context, caller.keyId ?? '', SHOWN)).toMatchObject({
        revokedAt: null,
        lastUsedAt: null,
      })
      world.advance(3_600_000)
      expect(await usedThisHour(keyId ?? '', { ...context, now: world.clock.now() })).toBe(0)
    })
  })

  describe('rotateApiKey', () => {
    it('creates an equal key; the old one works until the end of the grace period', async () => {
      const context = await owner()
      const expiresAt = new Date(world.clock.now().getTime() + 30 * DAY_MS)
      const old = await createApiKey(context, { label: 'dash', scopes: ['etf:read'], expiresAt })
      const next = await rotateApiKey(context, { keyId: old.key_id, graceSeconds: 60 })
      expect(next).toMatchObject({ label: 'dash', scopes: ['etf:read'], expires_at: expiresAt })
      expect(next.raw_key).not.toBe(old.raw_key)
      world.advance(59_999)
      expect([await isAccepted(old.raw_key), await isAccepted(next.raw_key)]).toEqual([true, true])
      world.advance(1)
      expect([await isAccepted(old.raw_key), await isAccepted(next.raw_key)]).toEqual([false, true])
    })

    it('ends the old key at once without a grace period, and works only once', async () => {
      const context = await owner()
      const old = await createApiKey(context, PLAIN)
      expect(await isAccepted(old.raw_key)).toBe(true)
      const rotate = () => rotateApiKey(context, { keyId: old.key_id, graceSeconds: 0 })
      const codes = await Promise.all(
        [rotate(), rotate()].map((run) =>
          run.then(
            () => 'made',
            (error) => error.code,
          ),
        ),
      )
      expect(codes.sort()).toEqual(['conflict', 'made'])
      expect(await isAccepted(old.raw_key)).toBe(false)
    })

    it('does not let a narrowed key rotate a broader one', async () => {
      const made = await world.make({ scopes: ['ai:read'] })
      const narrow = await world.withKey(made.raw_key)
      const full = { ...narrow, principal: { ...callerOf(narrow), keyId: null } }
      const broad = await createApiKey(full, { ...PLAIN, scopes: ['ai:read', 'etf:read'] })
      const refusal = await refusalOf(rotateApiKey(narrow, { keyId: broad.key_id, graceSeconds: 0 }))
      expect(refusal).toMatchObject({ code: 'forbidden', requiredScope: 'etf:read' })
      expect(await isAccepted(broad.raw_key)).toBe(true)
      const own = await rotateApiKey(narrow, { keyId: made.key_id, graceSeconds: 0 })
      expect(own.scopes).toEqual(['ai:read'])
    })
  })

  it('refuses to rotate a key that expires later than the key of the request', async () => {
    const full = await owner()
    const end = new Date(world.clock.now().getTime() + DAY_MS)
    const maker = await createApiKey(full, { ...PLAIN, expiresAt: end })
    const lasting = await createApiKey(full, PLAIN)
    const context = await world.withKey(maker.raw_key)
    const rotate = (keyId: string) => rotateApiKey(context, { keyId, graceSeconds: 0 })
    const refusal = await refusalOf(rotate(lasting.key_id))
    expect(refusal).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('A key cannot create a key that expires later'),
    })
    expect(await isAccepted(lasting.raw_key)).toBe(true)
    expect((await rotate(maker.key_id)).expires_at).toEqual(end)
  })

  describe('revokeApiKey', () => {
    it('ends the key, can be repeated, ends a grace period early and is in the audit once', async () => {
      const context = await owner()
      const key = await createApiKey(context, PLAIN)
      await rotateApiKey(context, { keyId: key.key_id, graceSeconds: 3_600 })
      expect(await isAccepted(key.raw_key)).toBe(true)
      await revokeApiKey(context, key.key_id)
      await revokeApiKey(context, key.key_id)
      expect(await isAccepted(key.raw_key)).toBe(false)
      const events = (await world.audit()).filter((event) => event.keyId === key.key_id)
      expect(events.map((event) => event.action).sort()).toEqual([
        'key_created',
        'key_revoked',
        'key_rotated',
      ])
    })

    it('ends every key that was made with the key or with one of those, on all nodes and by few statements', async () => {
      const context = await owner()
      const leaked = await createApiKey(context, PLAIN)
      const other = await createApiKey(context, PLAIN)
      const children = []
      let maker = await world.withKey(leaked.raw_key)
      for (let depth = 0; depth < 5; depth += 1) {
        const child = await createApiKey(maker, PLAIN)
        children.push(child)
        maker = await world.withKey(child.raw_key)
      }
      const node = world.newAccess()
      const isAcceptedThere = (apiKey: string) =>
        node.authenticate({ apiKey, bearer: null }).then(
          () => true,
          () => false,
        )
      for (const { raw_key } of children) expect(await isAcceptedThere(raw_key)).toBe(true)
      const statements = world.database.statementCount()
      await revokeApiKey(context, leaked.key_id)
      expect(world.database.statementCount() - statements).toBeLessThan(12)
      for (const { raw_key } of children) expect(await isAccepted(raw_key)).toBe(false)
      expect(await isAccepted(other.raw_key)).toBe(true)
      await sleep(600) // Longer than callers are kept.
      for (const { raw_key } of children) expect(await isAcceptedThere(raw_key)).toBe(false)
      await node.close()
      const revoked = (await world.audit()).filter(({ action }) => action === 'key_revoked')
      const ids = revoked.map(({ keyId }) => keyId)
      for (const { key_id } of [leaked, ...children])
        expect(ids.filter((id) => id === key_id)).toHaveLength(1)
      expect(ids).not.toContain(other.key_id)
    })

    it('ends keys made before a rotation with the new key, and a key that was rotated with another key with that one', async () => {
      const context = await owner()
      const old = await createApiKey(context, PLAIN)
      const own = await world.withKey(old.raw_key)
      const child = await createApiKey(own, PLAIN)
      const next = await rotateApiKey(own, { keyId: old.key_id, graceSeconds: 0 })
      await revokeApiKey(context, old.key_id)
      for (const { raw_key } of [child, next]) expect(await isAccepted(raw_key)).toBe(true)
      const taken = await createApiKey(context, PLAIN)
      const stolen = await rotateApiKey(await world.withKey(next.raw_key), {
        keyId: taken.key_id,
        graceSeconds: 0,
      })
      await revokeApiKey(context, next.key_id)
      for (const { raw_key } of [next, child, stolen]) expect(await isAccepted(raw_key)).toBe(false)
    })
  })

  describe('the database', () => {
    it('contains no key in any text or bytea column, only a prefix of 16 characters', async () => {
      const { raw_key } = await world.make({ label: 'secret' })
      const columns = await world.database.rows<{ table: string; column: string }>(
        `select table_name as "table", column_name as "column" from information_schema.columns
         where table_schema = 'public' and data_type in ('text', 'character varying', 'bytea', 'jsonb', 'ARRAY')`,
      )
      expect(columns).toContainEqual({ table: 'api_key', column: 'digest' })
      const placesOf = async (text: string) => {
        const places: string[] = []
        for (const { table, column } of columns) {
          const [row] = await world.database.rows<{ count: number }>(
            `select count(*) as count from "${table}" where strpos("${column}"::text, $1) > 0
             or strpos("${column}"::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0`,
            [text],
          )
          if (row?.count !== 0) places.push(`${table}.${column}`)
        }
        return places
      }
      expect(await placesOf(raw_key.slice(0, 17))).toEqual([])
      expect(await placesOf(raw_key.slice(16, 39))).toEqual([])
      expect(await placesOf(raw_key.slice(0, 16))).toEqual(['api_key.key_prefix'])
    })

    it('has an append-only audit that forgets after 90 days and contains neither e-mails nor keys', async () => {
      const made = await world.make({ email: 'audited@example.org' })
      await setTier(world.access, made.account_id, 'pro')
      const event = { accountId: null, origin: 'old', actor: 'self', action: 'login_failed' } as const
      const now = new Date() // the table's own rule runs on the database's clock
      await appendAudit(world.database.prisma, { ...event, at: new Date(now.getTime() - 91 * DAY_MS) })
      await appendAudit(world.database.prisma, { ...event, at: new Date(now.getTime() - 89 * DAY_MS) })
      expect(await purgeAudit(world.database.prisma, now)).toBe(1)
      expect(await purgeAudit(world.database.prisma, now)).toBe(0)
      await expect(world.database.rows(`delete from audit_event where origin = 'old'`)).rejects.toThrow()
      await expect(world.database.rows(`update audit_event set actor = 'x'`)).rejects.toThrow()
      const audit = await world.audit()
      expect(audit.filter((entry) => entry.accountId === made.account_id)).toEqual([
        expect.objectContaining({
          action: 'key_created',
          keyId: made.key_id,
          actor: 'operator',
          origin: null,
        }),
        expect.objectContaining({ action: 'register', actor: 'operator', details: { tier: 'growth' } }),
        expect.objectContaining({ action: 'tier_changed', details: { from: 'growth', to: 'pro' } }),
      ])
      expect(JSON.stringify(audit)).not.toMatch(/@|mdg_/)
      const [newest] = await listAccounts(world.database.prisma, world.clock.now(), {
        limit: 100,
        offset: 0,
      }).then((all) => all.filter((account) => account.email === 'audited@example.org'))
      expect(newest).toMatchObject({ accountId: made.account_id, tier: 'pro', activeKeys: 1 })
    })
  })
})

describe('parseKeyRequest', () => {
  const now = new Date('2026-11-20T12:00:00Z')
  const endsAt = new Date('2027-01-01T00:00:00Z')
  const scopes = new Set(['ai:read', 'macro:read'] as const)
  const maker = { tier: 'starter', scopes, isNarrowed: true, endsAt: null } as const
  const terms = { now, servedScopes: SERVED }
  const parse = (asked: Parameters<typeof parseKeyRequest>[0]) => parseKeyRequest(asked, maker, terms)

  it('trims the label and puts scopes in the order of the table, each once', () => {
    expect(parse({ label: '  dash  ', scopes: ['macro:read', 'ai:read', 'macro:read'] })).toEqual({
      label: 'dash',
      scopes: ['ai:read', 'macro:read'],
      expiresAt: null,
    })
    expect(parse({ label: 'none', scopes: [] }).scopes).toEqual([])
    expect(parse({ label: '😀'.repeat(100) }).scopes).toBeNull()
  })

  it('names every wrong field at once, with a suggestion for a near miss', async () => {
    const refusal = await refusalOf(() => parse({ label: ' ', scopes: ['ai:reed'], expires_at: now }))
    expect(refusal.code).toBe('validation_error')
    expect(refusal.details).toEqual([
      { field: 'label', message: 'must have 1 to 100 visible characters' },
      { field: 'expires_at', message: 'must be in the future' },
      { field: 'scopes', message: 'unknown scope "ai:reed"; did you mean "ai:read"?' },
    ])
    for (const label of ['x'.repeat(101), 'a\u0000b', 'a\nb']) {
      expect((await refusalOf(() => parse({ label }))).details[0]?.field).toBe('label')
    }
  })

  it('uses the end of the creator by default, and refuses a later one', async () => {
    const ending = { ...maker, endsAt }
    const parseFor = (expires_at: Date | null) => parseKeyRequest({ label: 'x', expires_at }, ending, terms)
    expect(parseFor(null).expiresAt).toEqual(endsAt)
    expect(parseFor(endsAt).expiresAt).toEqual(endsAt)
    expect(parseFor(new Date(endsAt.getTime() - 1)).expiresAt).toEqual(new Date(endsAt.getTime() - 1))
    expect((await refusalOf(() => parseFor(new Date(endsAt.getTime() + 1)))).details).toEqual([
      {
        field: 'expires_at',
        message: 'must not be after the expiry of the key that creates it: 2027-01-01T00:00:00.000Z',
      },
    ])
  })

  it('refuses a scope that gives access to nothing yet and names the available scopes', async () => {
    const available = [...SERVED].join(', ')
    expect((await refusalOf(() => parse({ label: 'x', scopes: [NOT_SERVED, 'no:scope'] }))).details).toEqual([
      {
        field: 'scopes',
        message: `scope "${NOT_SERVED}" is not available yet: it gives access to nothing in this version; available are ${available}`,
      },
      { field: 'scopes', message: `unknown scope "no:scope"; available are ${available}` },
    ])
  })

  it('refuses a scope that the creator of the key lacks: 403 names the scope', async () => {
    const refusal = await refusalOf(() => parse({ label: 'x', scopes: ['ai:read', 'star:read'] }))
    expect(refusal).toMatchObject({
      code: 'forbidden',
      requiredScope: 'star:read',
      message:
        'A key cannot hold a scope that its creator lacks, here star:read: it comes with tier pro and above; the account has tier starter, and your key is narrowed to ai:read, macro:read.',
    })
  })
})
