import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkInstallation } from '../../../src/checks/check-installation.js'
import { runAdmin } from '../../../src/commands/admin/run.js'
import { loadConfig } from '../../../src/config.js'
import type { Database } from '../../../src/platform/database/database.js'
import { joinInstallation } from '../../../src/platform/installation/wiring.js'
import { parseSigningKey } from '../../../src/platform/secrets/signing.js'
import { createWebhookSignatures } from '../../../src/platform/secrets/webhook-signatures.js'
import { OWN_SECRETS } from '../../support/app/secrets.js'
import { storeWebhook } from '../../support/app/webhook-world.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const OLD = OWN_SECRETS.KEY_PEPPER
const NEW = 'the pepper that replaces it, 32 characters or more'
const SEED = Buffer.alloc(32, 9).toString('base64url')
const OLD_NODES = { ...OWN_SECRETS, DATABASE_URL: 'postgresql://127.0.0.1/not-opened' }
const SWITCHED = { ...OLD_NODES, KEY_PEPPER: NEW, KEY_PEPPER_PREVIOUS: OLD }
const AFTER = { ...OLD_NODES, KEY_PEPPER: NEW }

type Env = Readonly<Record<string, string>>

describe.each(availableDatabases())('the rotation of secrets on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  const world = () => ({ shared: database, signal: new AbortController().signal, directory: null })
  const admin = (env: Env, ...args: readonly string[]) => runAdmin(args, env, world())
  const json = async (env: Env, ...args: readonly string[]) => {
    const { out, err } = await admin(env, ...args, '--json')
    expect(err).toBe('')
    return JSON.parse(out)
  }
  const start = (env: Env) => joinInstallation(database, loadConfig(env), new Date())
  const findings = async (env: Env) => {
    const all = await checkInstallation(loadConfig(env), database)
    return all
      .filter(({ status }) => status !== 'ok')
      .map(({ check, message, advice }) => `${check}: ${message} → ${advice}`)
  }

  it('of KEY_PEPPER is one command, shows in the list and in doctor, and ends no API key', async () => {
    const user = await json(OLD_NODES, 'users', 'create', '--tier', 'pro', '--label', 'unused')
    const webhookId = await storeWebhook(database, user.account_id)
    const seed = Uint8Array.from(createWebhookSignatures(OLD).newSeed())
    await database.prisma.webhook.update({ where: { webhookId }, data: { seed } })
    const secretOf = async (pepper: string) => {
      const stored = await database.prisma.webhook.findUniqueOrThrow({ where: { webhookId } })
      return createWebhookSignatures(pepper).secretOf(stored.seed)
    }
    const secret = await secretOf(OLD)

    expect(await admin(OLD_NODES, 'secrets', 'rotate', 'KEY_PEPPER')).toMatchObject({
      code: 1,
      err: 'admin: secrets rotate KEY_PEPPER needs the settings of the nodes: the new KEY_PEPPER, and the old one as KEY_PEPPER_PREVIOUS (see --help)\n',
    })
    await start(OLD_NODES)
    expect((await admin(SWITCHED, 'secrets', 'rotate', 'KEY_PEPPER')).err).toBe(
      'admin: KEY_PEPPER is new, and no node has started with it yet: run the command with the settings of the nodes\n',
    )
    expect((await admin(SWITCHED, 'users', 'create', '--tier', 'pro')).err).toContain('no node has started')

    await start(SWITCHED)
    await expect(start(OLD_NODES)).rejects.toThrow('KEY_PEPPER is not the one that this installation uses')
    expect(await findings(SWITCHED)).toEqual([
      'rotation of KEY_PEPPER: 1 webhook and 0 public keys of snapshots need another pepper than KEY_PEPPER → run npm run admin -- secrets rotate KEY_PEPPER',
    ])
    expect(await findings(AFTER)).toEqual([
      'secrets of webhooks: 1 need another KEY_PEPPER, so receivers refuse their events → set KEY_PEPPER_PREVIOUS again, or let their owners create new secrets',
    ])
    const rotated = await json(SWITCHED, 'secrets', 'rotate', 'KEY_PEPPER')
    expect(rotated).toMatchObject({ name: 'KEY_PEPPER', webhooks_moved: 1, webhooks_left: 0 })
    expect(await json(SWITCHED, 'secrets', 'rotate', 'KEY_PEPPER')).toMatchObject({ webhooks_moved: 0 })
    expect(await secretOf(NEW)).toBe(secret)
    expect(JSON.stringify(rotated)).not.toContain(secret)
    expect(await findings(SWITCHED)).toEqual([
      'rotation of KEY_PEPPER: 0 webhooks and 0 public keys of snapshots need another pepper than KEY_PEPPER → remove KEY_PEPPER_PREVIOUS when no recent mail has a link of it',
    ])

    await start(AFTER)
    expect(await findings(AFTER)).toEqual([])
    expect((await json(AFTER, 'secrets', 'list')).key_pepper).toMatchObject({ webhooks_left: 0 })
    const audited = await database.prisma.auditEvent.findMany({ where: { action: 'secret_rotated' } })
    expect(audited.map(({ actor, details }) => ({ actor, details }))).toEqual(
      Array.from({ length: 2 }, () => ({ actor: 'operator', details: { name: 'KEY_PEPPER' } })),
    )
  })

  it('of KEY_PEPPER names public keys of snapshots that neither pepper sealed, and fails', async () => {
    const keyId = `forged-${randomUUID()}`
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
    const data = { keyId, x, seal: 'a'.repeat(43), notedAt: new Date() }
    await database.prisma.snapshotSigningKey.create({ data })
    const { code, out } = await admin(SWITCHED, 'secrets', 'rotate', 'KEY_PEPPER')
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(`neither pepper sealed the public keys ${keyId}, which are not published`),
    ])
    expect(await findings(AFTER)).toEqual([
      expect.stringContaining(`snapshot keys: ${keyId}: not sealed with`),
    ])
    await database.prisma.snapshotSigningKey.delete({ where: { keyId } })
  })

  it('of SIGNING_KEY publishes the new public key before a node signs with it, and keeps the old ones', async () => {
    const first = { ...AFTER, SIGNING_KEY: SEED }
    const second = { ...AFTER, SIGNING_KEY: Buffer.alloc(32, 8).toString('base64url') }
    const [k1, k2] = [first, second].map((env) => parseSigningKey(env.SIGNING_KEY).keyId)
    expect((await admin(AFTER, 'secrets', 'rotate', 'SIGNING_KEY')).err).toContain(
      'needs the new SIGNING_KEY',
    )
    expect(await json(first, 'secrets', 'rotate', 'SIGNING_KEY')).toMatchObject({ published: [k1] })
    expect(await json(second, 'secrets', 'rotate', 'SIGNING_KEY')).toEqual({
      name: 'SIGNING_KEY',
      key_id: k2,
      published: [k2, k1],
    })
    expect((await json(first, 'secrets', 'list')).signing_keys).toMatchObject([
      { key_id: k2, status: 'verifies' },
      { key_id: k1, status: 'signs' },
    ])
    const audited = await database.prisma.auditEvent.findFirst({
      where: { action: 'secret_rotated' },
      orderBy: { at: 'desc' },
    })
    expect(audited?.details).toEqual({ name: 'SIGNING_KEY', key_id: k2 })
  })

  it('of JWT_KEYS is refused by doctor and commands before a node accepts the new key, and lost with the old one', async () => {
    const newer = `newer:${Buffer.alloc(32, 2).toString('base64url')}`
    const next = { ...AFTER, JWT_KEYS: `${newer},${AFTER.JWT_KEYS}` }
    const refusal = 'The first key of JWT_KEYS is new, and nodes that do not accept it would refuse'
    expect(await findings(next)).toEqual([expect.stringContaining(refusal)])
    expect((await admin(next, 'users', 'create', '--tier', 'pro')).err).toContain(refusal)
    expect((await json(next, 'secrets', 'list')).secrets).toContainEqual(
      expect.objectContaining({ name: 'JWT_KEYS', status: 'unannounced' }),
    )
    expect((await admin(AFTER, 'secrets', 'forget', 'JWT_KEYS')).out).toContain('JWT_KEYS is forgotten')
    expect((await admin(next, 'users', 'create', '--tier', 'pro')).code).toBe(0)
    expect((await admin(AFTER, 'users', 'create', '--tier', 'pro')).err).toContain('JWT_KEYS is not the one')
    await admin(AFTER, 'secrets', 'forget', 'JWT_KEYS')
  })

  it('is refused for other names, and with other peppers than those of the nodes', async () => {
    expect((await admin(AFTER, 'secrets', 'rotate', 'JWT_KEYS')).err).toContain(
      'unknown secret "JWT_KEYS"; use one of: KEY_PEPPER, SIGNING_KEY',
    )
    const wrong = { ...SWITCHED, KEY_PEPPER: 'a wrong pepper of 32 characters or more' }
    expect((await admin(wrong, 'secrets', 'rotate', 'KEY_PEPPER')).err).toContain(
      'KEY_PEPPER is not the one that this installation uses',
    )
  })
})
