import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  countDigests,
  listOtherDigests,
  markDigests,
  moveDigests,
} from '../../../src/domains/access/key-digests/key-digest-store.js'
import type { Access } from '../../../src/domains/access/model.js'
import { createAccountWithKey, revokeAnyKey } from '../../../src/domains/access/operator.js'
import type { Sql } from '../../../src/platform/database/database.js'
import { parseApiKey } from '../../../src/platform/secrets/api-key-format.js'
import { pepperId } from '../../../src/platform/secrets/peppers.js'
import { keyDigest } from '../../../src/platform/secrets/secrets.js'
import { availableDatabases } from '../../support/database/database.js'
import { type AccessWorld, openAccessWorld, PEPPER, refusalOf } from './access-world.js'

const NEW = 'the pepper that replaces it, 32 characters or more'
const [OLD_ID, NEW_ID] = [pepperId(PEPPER), pepperId(NEW)]

describe.each(availableDatabases())('keys on %s while the pepper is rotated', (kind) => {
  let world: AccessWorld
  const nodes: Access[] = []
  beforeAll(async () => {
    world = await openAccessWorld(kind)
  })
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()))
  })
  afterAll(() => world.close())

  const node = (given: Parameters<AccessWorld['newAccess']>[0]) => {
    const access = world.newAccess(given)
    nodes.push(access)
    return access
  }
  const old = () => node({})
  const announced = () => node({ overlap: { next: NEW, previous: null } })
  const switched = () => node({ pepper: NEW, overlap: { next: null, previous: PEPPER } })
  const finished = () => node({ pepper: NEW })
  const made = (access: Access) => createAccountWithKey(access, { tier: 'growth', label: 'rotated' })
  const keyIdOf = async (access: Access, apiKey: string) => {
    const principal = await access.authenticate({ apiKey, bearer: null })
    return principal.kind === 'key' ? principal.keyId : null
  }
  const refused = async (access: Access, apiKey: string) =>
    (await refusalOf(access.authenticate({ apiKey, bearer: null }))).details
  const digestOf = (pepper: string, apiKey: string) =>
    keyDigest(pepper, parseApiKey(apiKey) ?? expect.fail('a key')).toString('hex')
  const UNKNOWN = [{ field: 'X-API-Key', message: 'is unknown; no account has this key' }]
  const stored = async (keyId: string) => {
    const where = { keyId }
    return (await world.database.prisma.apiKey.findUniqueOrThrow({ where })).pepperId
  }
  /** Uses the key and waits until that has been written. */
  const used = async (access: Access, apiKey: string) => {
    await keyIdOf(access, apiKey)
    await access.close()
  }

  it('of the old pepper work on every node, and move to the new one when a switched node uses them', async () => {
    const key = await made(old())
    expect(await stored(key.key_id)).toBe(OLD_ID)
    await used(announced(), key.raw_key)
    expect(await stored(key.key_id)).toBe(OLD_ID)
    expect(await refused(finished(), key.raw_key)).toEqual(UNKNOWN)
    await used(switched(), key.raw_key)
    expect(await stored(key.key_id)).toBe(NEW_ID)
    for (const access of [announced(), switched(), finished()])
      expect(await keyIdOf(access, key.raw_key)).toBe(key.key_id)
    expect(await refused(old(), key.raw_key)).toEqual(UNKNOWN)
  })

  it('of the new pepper work on nodes that accept it, and stay with it', async () => {
    const key = await made(switched())
    await used(announced(), key.raw_key)
    expect(await stored(key.key_id)).toBe(NEW_ID)
    expect(await keyIdOf(finished(), key.raw_key)).toBe(key.key_id)
  })

  it('of earlier versions get the name of their pepper when they are used', async () => {
    const key = await made(old())
    const where = { keyId: key.key_id }
    await world.database.prisma.apiKey.update({ where, data: { pepperId: null } })
    await used(old(), key.raw_key)
    expect(await stored(key.key_id)).toBe(OLD_ID)
  })

  it('are unknown where the accepted second pepper is a wrong one', async () => {
    const key = await made(old())
    const wrong = node({ pepper: NEW, overlap: { next: null, previous: `${PEPPER}!` } })
    expect(await refused(wrong, key.raw_key)).toEqual(UNKNOWN)
    expect(await refused(wrong, 'mdg_test_1')).toMatchObject([
      { message: expect.stringContaining('is not an') },
    ])
  })

  it('are looked up with one statement, whether they are unknown, of the old pepper or of the new one', async () => {
    const [ofOld, ofNew] = [await made(old()), await made(switched())]
    const unknown = { raw_key: world.access.newKey().rawKey }
    for (const access of [announced(), switched()]) {
      const statementsOf = async (apiKey: string) => {
        const before = world.database.statementCount()
        await access.authenticate({ apiKey, bearer: null }).catch(() => null)
        return world.database.statementCount() - before
      }
      for (const { raw_key } of [unknown, ofOld, ofNew]) {
        expect(await statementsOf(raw_key)).toBe(1)
        expect(await statementsOf(raw_key)).toBe(0)
      }
    }
  })

  it.runIf(kind === 'postgres')(
    'are found when another node moves them right behind the first statement of a look-up',
    async () => {
      const { database } = world
      const waiting = async () => {
        const [row] = await database.rows<{ n: number }>(
          `select count(*)::int4 as n from pg_locks where not granted and relation = 'api_key'::regclass`,
        )
        return row?.n
      }
      /** Holds all statements on keys back until the returned function is called. */
      const lockKeys = () =>
        new Promise<() => Promise<void>>((locked, failed) => {
          const holding = database.transaction(async (tx) => {
            await tx.rows('lock table api_key in access exclusive mode')
            await new Promise<void>((release) => {
              locked(async () => {
                release()
                await holding
              })
            })
          })
          holding.catch(failed)
        })
      for (const start of [announced, switched]) {
        const key = await made(old())
        const move = {
          keyId: key.key_id,
          from: digestOf(PEPPER, key.raw_key),
          to: digestOf(NEW, key.raw_key),
        }
        const release = await lockKeys()
        const access = start()
        const asked = keyIdOf(access, key.raw_key)
        await expect.poll(waiting).toBe(1)
        // The lock of the move waits behind the first statement of the node, and before its second one.
        const moved = database.transaction(async (tx) => {
          await tx.rows('lock table api_key in access exclusive mode')
          return moveDigests(tx, [move], NEW_ID)
        })
        await expect.poll(waiting).toBe(2)
        await release()
        expect(await asked).toBe(key.key_id)
        expect([...(await moved)]).toEqual([key.key_id])
        expect(await keyIdOf(start(), key.raw_key)).toBe(key.key_id)
      }
    },
  )

  it.runIf(kind === 'postgres')(
    'are moved by one of two nodes that move them at once; the other one neither waits nor moves them again',
    async () => {
      const { database } = world
      const key = await made(old())
      const [from, to, other] = [PEPPER, NEW, 'the pepper of a node that has other settings'].map((pepper) =>
        digestOf(pepper, key.raw_key),
      ) as [string, string, string]
      const move = (sql: Sql, target: string) =>
        moveDigests(sql, [{ keyId: key.key_id, from, to: target }], NEW_ID)
      await database.transaction(async (tx) => {
        expect((await move(tx, to)).size).toBe(1)
        expect((await move(database, other)).size).toBe(0)
      })
      expect((await move(database, other)).size).toBe(0)
      expect(await keyIdOf(finished(), key.raw_key)).toBe(key.key_id)
    },
  )

  it('answer every request while two switched nodes move them under requests of all nodes', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => made(old())))
    const all = [announced(), announced(), switched(), switched()]
    const deadline = performance.now() + 3_000
    let answers = 0
    const asking = all.map(async (access) => {
      for (; performance.now() < deadline; await sleep(1))
        for (const key of keys) {
          expect(await keyIdOf(access, key.raw_key)).toBe(key.key_id)
          answers += 1
        }
    })
    await Promise.all(asking)
    expect(answers).toBeGreaterThan(keys.length * all.length)
    for (const key of keys) expect(await stored(key.key_id)).toBe(NEW_ID)
  })

  it('keep a digest that changed since it was read', async () => {
    const key = await made(old())
    const [first, second] = ['11', '22'].map((byte) => byte.repeat(32)) as [string, string]
    await moveDigests(world.database, [{ keyId: key.key_id, from: first, to: second }], NEW_ID)
    expect(await stored(key.key_id)).toBe(OLD_ID)
    expect(await keyIdOf(old(), key.raw_key)).toBe(key.key_id)
  })

  it.runIf(kind === 'postgres')(
    'that a transaction holds are moved after it, without another use',
    async () => {
      const key = await made(old())
      const access = switched()
      await world.database.transaction(async (tx) => {
        await tx.rows('select 1 as held from api_key where key_id = $1::uuid for update', [key.key_id])
        await keyIdOf(access, key.raw_key)
        await sleep(1_500)
      })
      await expect.poll(() => stored(key.key_id), { timeout: 5_000 }).toBe(NEW_ID)
    },
  )

  it('can be revoked while they move: the node that revokes refuses them at once', async () => {
    const key = await made(old())
    const access = switched()
    await keyIdOf(access, key.raw_key)
    await access.close() // moves it; the caller is still cached under the old digest
    await revokeAnyKey(access, key.key_id)
    expect(await refused(access, key.raw_key)).toMatchObject([
      { message: expect.stringContaining('was revoked') },
    ])
  })

  it('are counted by pepper and listed by their last use, without ended ones', async () => {
    const { prisma } = world.database
    await prisma.apiKey.updateMany({ data: { revokedAt: world.clock.now() } })
    const [moved, first, second, lost, ended] = await Promise.all(
      Array.from({ length: 5 }, () => made(old())),
    )
    const set = (key: typeof moved, data: object) =>
      prisma.apiKey.update({ where: { keyId: key?.key_id ?? '' }, data })
    await set(moved, { pepperId: NEW_ID })
    await set(first, { pepperId: null, lastUsedAt: new Date('2026-11-01T00:00:00Z') })
    await set(second, { lastUsedAt: new Date('2026-11-02T00:00:00Z') })
    await set(lost, { pepperId: '0'.repeat(16), lastUsedAt: null })
    await set(ended, { expiresAt: new Date('2026-11-03T00:00:00Z') })
    const now = world.clock.now()
    const counts = () => countDigests(prisma, now, [NEW_ID, OLD_ID])
    expect(await counts()).toEqual({ current: 1, previous: 2, lost: 1 })
    expect(await markDigests(world.database, OLD_ID)).toBe(1)
    expect(await counts()).toEqual({ current: 1, previous: 2, lost: 1 })
    expect((await listOtherDigests(prisma, now, NEW_ID, 10)).map(({ keyId }) => keyId)).toEqual(
      [second, first, lost].map((key) => key?.key_id),
    )
    expect(await listOtherDigests(prisma, now, NEW_ID, 1)).toHaveLength(1)
  })
})
