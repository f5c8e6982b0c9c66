import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { login, register } from '../../../src/domains/access/accounts/login-service.js'
import { createApiKey, revokeApiKey } from '../../../src/domains/access/keys/key-service.js'
import { LOGINS_PER_ACCOUNT, throttlePort } from '../../../src/domains/access/model.js'
import { addGrant, removeGrant, setContract, setTier } from '../../../src/domains/access/operator.js'
import { deleteMe, ownAccount } from '../../../src/domains/access/service.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import { argon2Passwords } from '../../../src/platform/secrets/secrets.js'
import { ANONYMOUS } from '../../../src/policy/principal.js'
import { availableDatabases } from '../../support/database/database.js'
import { waitedMs } from '../../support/waited-ms.js'
import { type AccessWorld, callerOf, openAccessWorld, refusalOf } from './access-world.js'

/** The refusal of a credential: a message and a detail that say what is wrong; for a key also where keys come from. */
const unauthorized = (message: string, field = 'X-API-Key') => ({
  code: 'unauthorized',
  message: [
    `Missing or invalid ${field} header. It ${message}.`,
    ...(field === 'X-API-Key'
      ? [
          'Create a key on the page /account, or with register and create_api_key, and send it in the header X-API-Key.',
        ]
      : []),
  ].join(' '),
  requiredScope: null,
  details: [{ field, message }],
  retryAfter: null,
})
const PASSWORD = 'correct horse battery'
/** Longer than callers are kept. */
const STALE_MS = 600

describe.each(availableDatabases())('on %s', (kind) => {
  let world: AccessWorld
  beforeAll(async () => {
    world = await openAccessWorld(kind)
  })
  afterAll(() => world.close())

  describe('authenticate', () => {
    it('returns anonymous without credentials', async () => {
      expect(await world.authenticate({})).toBe(ANONYMOUS)
    })

    it('recognizes a key: its account meters it, tier and grants give its scopes', async () => {
      const made = await world.make({ tier: 'starter', grants: ['admin'] })
      expect(await world.authenticate({ apiKey: made.raw_key })).toEqual({
        kind: 'key',
        accountId: made.account_id,
        meterId: made.account_id,
        keyId: made.key_id,
        tier: 'starter',
        scopes: new Set([
          'keys:manage',
          'ai:read',
          'ohlcv:intraday',
          'macro:read',
          'instruments:read',
          'admin',
        ]),
        isNarrowed: false,
        endsAt: null,
        contract: null,
      })
    })

    // These two wait side by side.
    it.concurrent('gives a narrowed key its scopes as far as the account has them', async () => {
      const made = await world.make({ tier: 'growth', scopes: ['ai:read', 'etf:read'] })
      expect(callerOf(await world.withKey(made.raw_key)).scopes).toEqual(new Set(['ai:read', 'etf:read']))
      await setTier(world.access, made.account_id, 'starter')
      await sleep(STALE_MS)
      expect(callerOf(await world.withKey(made.raw_key)).scopes).toEqual(new Set(['ai:read']))
    })

    it.concurrent('follows grants and contracts of the operator', async () => {
      const made = await world.make({ tier: 'enterprise' })
      await addGrant(world.access, made.account_id, 'admin')
      await setContract(world.access, made.account_id, { month: 9_000_000, hour: 30_000 })
      const granted = callerOf(await world.withKey(made.raw_key))
      expect(granted.scopes.has('admin')).toBe(true)
      expect(granted.contract).toEqual({ month: 9_000_000, hour: 30_000 })
      await removeGrant(world.access, made.account_id, 'admin')
      await setContract(world.access, made.account_id, null)
      await sleep(STALE_MS)
      const plain = callerOf(await world.withKey(made.raw_key))
      expect(plain.scopes.has('admin')).toBe(false)
      expect(plain.contract).toBeNull()
    })

    it('refuses malformed and mistyped keys without a database query', async () => {
      const { raw_key } = await world.make()
      const before = world.database.statementCount()
      for (const apiKey of ['', 'nonsense', raw_key.toUpperCase(), raw_key.slice(0, -1)]) {
        expect(await refusalOf(world.authenticate({ apiKey }))).toEqual(
          unauthorized(
            'is not an API key; a key is mdg_live_ or mdg_test_, then 30 letters or digits, then _ and 6 letters or digits',
          ),
        )
      }
      const last = raw_key.endsWith('0') ? '1' : '0'
      expect(await refusalOf(world.authenticate({ apiKey: raw_key.slice(0, -1) + last }))).toEqual(
        unauthorized('was mistyped, because its checksum does not match; copy the whole key again'),
      )
      expect(world.database.statementCount()).toBe(before)
    })

    it('distinguishes unknown, revoked and expired keys, from the instant at which they end', async () => {
      expect(await refusalOf(world.authenticate({ apiKey: makeApiKey('test', randomBytes) }))).toEqual(
        unauthorized('is unknown; no account has this key'),
      )
      const owner = await world.withKey((await world.make()).raw_key)
      const expiresAt = new Date(world.clock.now().getTime() + 1_000)
      const expiring = await createApiKey(owner, { label: 'short', scopes: null, expiresAt })
      const revoked = await createApiKey(owner, { label: 'gone', scopes: null, expiresAt: null })
      expect(await world.authenticate({ apiKey: revoked.raw_key })).toMatchObject({ keyId: revoked.key_id })
      const revokedAt = world.clock.now().toISOString()
      await revokeApiKey(owner, revoked.key_id)
      expect(await refusalOf(world.authenticate({ apiKey: revoked.raw_key }))).toEqual(
        unauthorized(`was revoked at ${revokedAt}; create a new key`),
      )
      world.advance(999)
      expect(await world.authenticate({ apiKey: expiring.raw_key })).toMatchObject({ keyId: expiring.key_id })
      world.advance(1)
      expect(await refusalOf(world.authenticate({ apiKey: expiring.raw_key }))).toEqual(
        unauthorized(`expired at ${expiresAt.toISOString()}; create a new key`),
      )
    })

    it('sees a revocation by another node in under a second', async () => {
      const otherNode = world.newAccess()
      const made = await world.make()
      const owner = await world.withKey(made.raw_key)
      const ask = () => otherNode.authenticate({ apiKey: made.raw_key, bearer: null })
      expect(await ask()).toMatchObject({ keyId: made.key_id })
      await revokeApiKey(owner, made.key_id)
      const accepted = () =>
        ask().then(
          () => true,
          () => false,
        )
      const waited = await waitedMs(async () => {
        while (await accepted()) await sleep(10)
      })
      expect(waited).toBeLessThan(1_000)
      await otherNode.close()
    })

    it('reads a key once for simultaneous requests, and not again within half a second', async () => {
      const { raw_key } = await world.make()
      const fresh = world.newAccess()
      const ask = () => fresh.authenticate({ apiKey: raw_key, bearer: null })
      const before = world.database.statementCount()
      await Promise.all(Array.from({ length: 50 }, ask))
      await ask()
      expect(world.database.statementCount() - before).toBe(1)
      const unknown = makeApiKey('test', randomBytes)
      const askUnknown = () => refusalOf(fresh.authenticate({ apiKey: unknown, bearer: null }))
      await askUnknown()
      await askUnknown()
      expect(world.database.statementCount() - before).toBe(2)
      await fresh.close()
    })

    it('records the use of a key at most once a minute, and on closing', async () => {
      const made = await world.make()
      const node = world.newAccess()
      const lastUse = async () => {
        const [row] = await world.database.rows<{ at: Date | null }>(
          'select last_used_at as at from api_key where key_id = $1',
          [made.key_id],
        )
        return row?.at ?? null
      }
      const first = world.clock.now()
      await node.authenticate({ apiKey: made.raw_key, bearer: null })
      expect(await lastUse()).toBeNull()
      await node.close()
      expect(await lastUse()).toEqual(first)
      world.advance(59_999)
      const second = world.newAccess()
      await second.authenticate({ apiKey: made.raw_key, bearer: null })
      await second.close()
      expect(await lastUse()).toEqual(first)
      world.advance(1)
      const third = world.newAccess()
      await third.authenticate({ apiKey: made.raw_key, bearer: null })
      await third.close()
      expect(await lastUse()).toEqual(world.clock.now())
    })
  })

  describe('register and login', () => {
    it('create a free account whose token has all scopes of its tier', async () => {
      const made = await register(world.anonymous(), { email: 'ada@example.org', password: PASSWORD })
      expect(made).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: 3_600,
        user: {
          accountId: expect.any(String),
          email: 'ada@example.org',
          tier: 'free',
          grants: [],
          quotaMonth: null,
          quotaHour: null,
          createdAt: world.clock.now(),
        },
      })
      await setTier(world.access, made.user.accountId, 'starter')
      const again = await login(world.anonymous(), { email: ' ADA@Example.org', password: PASSWORD })
      expect(again.user).toEqual({ ...made.user, tier: 'starter' })
      const principal = await world.authenticate({ bearer: again.access_token })
      expect(principal).toMatchObject({
        kind: 'token',
        accountId: made.user.accountId,
        meterId: made.user.accountId,
        keyId: null,
      })
      const { accountId, email, tier } = again.user
      const select = { accountId: true, email: true, tier: true } as const
      expect(await ownAccount({ ...world.anonymous(), principal }, { select })).toEqual({
        accountId,
        email,
        tier,
      })
    })

    it('refuse a known e-mail and password with 409, also in a race', async () => {
      const login = { email: 'taken@example.org', password: PASSWORD }
      await register(world.anonymous(), login)
      expect(await refusalOf(register(world.anonymous(), login))).toMatchObject({ code: 'conflict' })
      const race = Array.from({ length: 3 }, () =>
        register(world.anonymous(), { email: 'race@example.org', password: PASSWORD }).then(
          () => 'made',
          (error) => error.code,
        ),
      )
      expect((await Promise.all(race)).sort()).toEqual(['conflict', 'conflict', 'made'])
    })

    it('reveal nothing about an e-mail: another password creates another account, and each opens its own', async () => {
      const email = 'shared@example.org'
      const [owner, stranger] = ["the owner's password", "the stranger's password"] as const
      const first = await register(world.anonymous(), { email, password: owner })
      const second = await register(world.anonymous(), { email, password: stranger })
      expect(second.user).toEqual({ ...first.user, accountId: second.user.accountId })
      expect(second.user.accountId).not.toBe(first.user.accountId)
      expect((await login(world.anonymous(), { email, password: owner })).user).toEqual(first.user)
      expect((await login(world.anonymous(), { email, password: stranger })).user).toEqual(second.user)
    })

    it('open an account whose hash has a random salt, and later use the salt of its e-mail', async () => {
      const email = 'older@example.org'
      const { user } = await register(world.anonymous(), { email, password: PASSWORD })
      const older = await argon2Passwords.hash(PASSWORD, new Uint8Array(16).fill(7))
      const stored = async () => {
        const row = await world.database.prisma.account.findFirstOrThrow({ where: { email } })
        return row.passwordHash
      }
      const salted = await stored()
      await world.database.prisma.account.updateMany({ where: { email }, data: { passwordHash: older } })
      const wrong = login(world.anonymous(), { email, password: 'wrong password' })
      expect(await refusalOf(wrong)).toMatchObject({ code: 'unauthorized' })
      expect(await refusalOf(register(world.anonymous(), { email, password: PASSWORD }))).toMatchObject({
        code: 'conflict',
      })
      expect((await login(world.anonymous(), { email, password: PASSWORD })).user).toEqual(user)
      expect(await stored()).toBe(salted)
    })

    it('answer an unknown e-mail, a wrong password and an account without a password alike, by the same steps', async () => {
      // Of its own: where keys were used, that is written from time to time, which would count as a statement.
      const quiet = await openAccessWorld(kind)
      onTestFinished(() => quiet.close())
      await register(quiet.anonymous(), { email: 'known@example.org', password: PASSWORD })
      await quiet.make({ email: 'operator@example.org' })
      const tries = [
        ['known@example.org', 'wrong password'],
        ['unknown@example.org', PASSWORD],
        ['operator@example.org', PASSWORD],
        ['not an e-mail', PASSWORD],
        ['nul\u0000@example.org', PASSWORD],
      ] as const
      const seen: unknown[] = []
      for (const [email, password] of tries) {
        const statements = quiet.database.statementCount()
        const verifications = quiet.verified.length
        const refusal = await refusalOf(
          login(quiet.anonymous({ clientAddress: `steps ${email.length}` }), { email, password }),
        )
        seen.push({
          refusal,
          statements: quiet.database.statementCount() - statements,
          verifications: quiet.verified.length - verifications,
        })
      }
      expect(seen[0]).toMatchObject({
        refusal: { code: 'unauthorized', message: 'E-mail or password is wrong.' },
        verifications: 1,
      })
      for (const other of seen) expect(other).toEqual(seen[0])
    })

    it('are throttled: 10 logins per account and address, 60 logins and 10 registrations per address', async () => {
      await world.database.rows('delete from rate_counter')
      const attempt = (email: string, origin: string) =>
        refusalOf(login(world.anonymous({ clientAddress: origin }), { email, password: PASSWORD }))
      for (let count = 0; count < 10; count += 1) {
        expect((await attempt('many@example.org', 'guesser')).code).toBe('unauthorized')
      }
      const spent = await attempt('MANY@example.org', 'guesser')
      expect(spent.code).toBe('rate_limit_exceeded')
      const waitSeconds = (spent.retryAfter ?? 0) - Date.now() / 1_000
      expect(waitSeconds).toBeGreaterThan(800)
      expect(waitSeconds).toBeLessThanOrEqual(901)
      expect((await attempt('many@example.org', 'another address')).code).toBe('unauthorized')

      for (let count = 0; count < 60; count += 1) await attempt(`one${count}@example.org`, 'one origin')
      expect((await attempt('one60@example.org', 'one origin')).code).toBe('rate_limit_exceeded')

      const join = (count: number) =>
        register(world.anonymous({ clientAddress: 'joiner' }), {
          email: `join${count}@example.org`,
          password: PASSWORD,
        })
      for (let count = 0; count < 10; count += 1) await join(count)
      expect((await refusalOf(join(10))).code).toBe('rate_limit_exceeded')
    })

    /** Leaves one attempt of the limit that an e-mail has over all addresses. */
    const spendAttempts = async (email: string) => {
      const { limit, windowSeconds } = LOGINS_PER_ACCOUNT
      const key = `login-account:${world.access.emailHash(email)}`
      for (let count = 1; count < limit; count += 1)
        await world.anonymous().ports.get(throttlePort).hit(key, limit, windowSeconds)
    }

    it('never lock the owner out from elsewhere, and bound guesses from many addresses', async () => {
      await world.database.rows('delete from rate_counter')
      const owner = { email: 'owner@example.org', password: PASSWORD }
      await register(world.anonymous({ clientAddress: 'home' }), owner)
      await login(world.anonymous({ clientAddress: 'home' }), owner)
      await spendAttempts(owner.email)
      const guess = { ...owner, password: 'a guess of somebody' }
      const from = (origin: string) => refusalOf(login(world.anonymous({ clientAddress: origin }), guess))
      expect((await from('last of many addresses')).code).toBe('rate_limit_exceeded')
      expect((await from('one more address')).code).toBe('rate_limit_exceeded')
      expect((await login(world.anonymous({ clientAddress: 'home' }), owner)).user.email).toBe(owner.email)
    })

    it('find an account over the limit only from an address of that account, not of another one with the same e-mail', async () => {
      await world.database.rows('delete from rate_counter')
      const owner = { email: 'victim@example.org', password: PASSWORD }
      const stranger = { ...owner, password: 'the password of a stranger' }
      const away = world.anonymous({ clientAddress: "the stranger's address" })
      await register(world.anonymous({ clientAddress: 'home' }), owner)
      const { user } = await register(away, stranger)
      await login(away, stranger)
      await spendAttempts(owner.email)
      expect(await refusalOf(login(away, owner))).toMatchObject({ code: 'rate_limit_exceeded' })
      expect(await refusalOf(login(away, { ...owner, password: 'a wrong password' }))).toMatchObject({
        code: 'rate_limit_exceeded',
      })
      expect((await login(away, stranger)).user).toEqual(user)
    })

    it('let a registration compare a password only within the limits of a login, whose attempts it counts as', async () => {
      await world.database.rows('delete from rate_counter')
      const owner = { email: 'compared@example.org', password: PASSWORD }
      const away = world.anonymous({ clientAddress: 'away' })
      await register(world.anonymous({ clientAddress: 'home' }), owner)
      for (let count = 0; count < 5; count += 1) {
        const password = `wrong password ${count}`
        expect(await refusalOf(login(away, { ...owner, password }))).toMatchObject({ code: 'unauthorized' })
        await register(away, { ...owner, password: `new password ${count}` })
      }
      for (const compare of [register, login])
        expect(await refusalOf(compare(away, owner))).toMatchObject({ code: 'rate_limit_exceeded' })
      await spendAttempts(owner.email)
      const elsewhere = world.anonymous({ clientAddress: 'elsewhere' })
      for (const password of [PASSWORD, 'yet another password'])
        expect(await refusalOf(register(elsewhere, { ...owner, password }))).toMatchObject({
          code: 'rate_limit_exceeded',
        })
    })

    it('create at most 10 accounts with an e-mail in 30 days from all addresses, and 20 in all', async () => {
      await world.database.rows('delete from rate_counter')
      const email = 'popular@example.org'
      const attempt = (count: number) =>
        register(world.anonymous({ clientAddress: `address ${count}` }), {
          email,
          password: `password number ${count}`,
        }).then(
          () => 'made',
          (error) => error.code,
        )
      const tries = async (from: number, count: number) => {
        const outcomes: string[] = []
        for (let number = from; number < from + count; number += 1) outcomes.push(await attempt(number))
        return outcomes
      }
      const made = (count: number) => Array<string>(count).fill('made')
      expect(await tries(0, 11)).toEqual([...made(10), 'rate_limit_exceeded'])
      await world.database.rows('delete from rate_counter')
      expect(await tries(11, 10)).toEqual(made(10))
      await world.database.rows('delete from rate_counter')
      expect(await tries(21, 1)).toEqual(['conflict'])
    })
  })

  describe('deleteMe', () => {
    it('removes personal data, ends keys and tokens at once and frees the e-mail; the account row stays', async () => {
      const email = 'leaving@example.org'
      const { user, access_token } = await register(world.anonymous({ clientAddress: 'leaver' }), {
        email,
        password: PASSWORD,
      })
      const principal = await world.authenticate({ bearer: access_token })
      const context = { ...world.anonymous(), principal }
      const key = await createApiKey(context, { label: "Ada's laptop", scopes: null, expiresAt: null })
      expect(await world.authenticate({ apiKey: key.raw_key })).toMatchObject({ keyId: key.key_id })
      await deleteMe(context)
      expect(await refusalOf(world.authenticate({ apiKey: key.raw_key }))).toEqual(
        unauthorized('is unknown; no account has this key'),
      )
      const deleted = unauthorized('belongs to an account that no longer exists', 'Authorization')
      expect(await refusalOf(world.authenticate({ bearer: access_token }))).toEqual(deleted)
      expect(await refusalOf(ownAccount(context, { select: { accountId: true } }))).toEqual(deleted)
      expect(await refusalOf(deleteMe(context))).toEqual(deleted)
      const [row] = await world.database.rows(
        `select email, password_hash, deleted_at, (select string_agg(label, '') from api_key where account_id = $1) as labels
         from account where account_id = $1`,
        [user.accountId],
      )
      expect(row).toEqual({ email: null, password_hash: null, deleted_at: world.clock.now(), labels: '' })
      const again = await register(world.anonymous({ clientAddress: 'leaver' }), {
        email,
        password: PASSWORD,
      })
      expect(again.user.accountId).not.toBe(user.accountId)
    })
  })
})
