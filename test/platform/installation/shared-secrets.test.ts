import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import {
  compareSecrets,
  forgetSecret,
  noteSecret,
  recordFirstSecrets,
  type SharedSecret,
} from '../../../src/platform/installation/shared-secrets.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const AT = new Date('2026-11-20T12:00:00Z')
const OLD = 'the secret that the first node has'
const NEW = 'the secret that replaces it'

const named = (name: string, ...secrets: SharedSecret['secrets']): SharedSecret => ({
  ...{ name, secrets, mustBeAnnounced: true },
})

describe.each(availableDatabases())('secrets that nodes share on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  const statusOf = async (secret: SharedSecret) => (await compareSecrets(database, [secret]))[0]?.status

  const start = (secret: SharedSecret) => noteSecret(database, secret, AT)

  it('are recorded by the first node, and a node with another one is told', async () => {
    expect(await statusOf(named('A', OLD))).toBe('unknown')
    expect(await start(named('A', OLD))).toEqual({ name: 'A', status: 'shared', notedAt: AT })
    expect(await start(named('A', NEW))).toEqual({ name: 'A', status: 'different', notedAt: AT })
    expect(await statusOf(named('A', OLD))).toBe('shared')
  })

  it('follow a rotation in which each step is announced, and in which a node of the step before may start again', async () => {
    const started = async (...secrets: SharedSecret['secrets']) =>
      (await start(named('B', ...secrets))).status
    expect(await started(OLD)).toBe('shared')
    for (const _ of ['one', 'two']) expect(await started(OLD, NEW)).toBe('shared')
    expect(await started(NEW, OLD)).toBe('shared')
    expect(await started(OLD, NEW)).toBe('shared')
    expect(await started(NEW, OLD)).toBe('shared')
    expect(await started(OLD)).toBe('different')
    expect(await started(NEW)).toBe('shared')
    expect(await started(NEW, OLD)).toBe('shared')
    expect(await started(NEW)).toBe('shared')
    expect(await started(OLD, NEW)).toBe('unannounced')
  })

  it('refuse a new secret before a node has accepted it, and after one that does not has started', async () => {
    const third = 'one more secret'
    await start(named('H', OLD))
    expect(await statusOf(named('H', NEW, OLD))).toBe('unannounced')
    expect(await start(named('H', NEW, OLD))).toEqual({ name: 'H', status: 'unannounced', notedAt: AT })
    expect(await statusOf(named('H', OLD))).toBe('shared')
    await start(named('H', OLD, NEW))
    await start(named('H', OLD))
    expect(await statusOf(named('H', NEW, OLD))).toBe('unannounced')
    await start(named('H', OLD, third, NEW))
    expect(await statusOf(named('H', NEW, OLD))).toBe('shared')
    expect(await statusOf(named('H', third, OLD))).toBe('shared')
  })

  it('that need not be announced are replaced by the first node that uses a new one beside the old one', async () => {
    const unannounced = (...secrets: SharedSecret['secrets']) => ({
      ...named('J', ...secrets),
      mustBeAnnounced: false,
    })
    expect((await start(unannounced(OLD))).status).toBe('shared')
    expect((await start(unannounced(NEW))).status).toBe('different')
    expect(await statusOf(unannounced(NEW, OLD))).toBe('unannounced')
    expect((await start(unannounced(NEW, OLD))).status).toBe('shared')
    expect(await statusOf(unannounced(NEW, OLD))).toBe('shared')
    expect((await start(unannounced(OLD))).status).toBe('different')
    expect((await start(unannounced(NEW))).status).toBe('shared')
  })

  it('are recorded by a command if there are none, which never announces a step', async () => {
    const command = async (...secrets: SharedSecret['secrets']) =>
      (await recordFirstSecrets(database, [named('I', ...secrets)], AT))[0]?.status
    expect(await command(OLD)).toBe('shared')
    expect(await command(OLD, NEW)).toBe('shared')
    expect(await command(NEW, OLD)).toBe('unannounced')
    expect(await command(NEW)).toBe('different')
  })

  it('distinguish the same secret under two names, and store no secret', async () => {
    await start(named('C', OLD, NEW))
    await start(named('D', OLD))
    const rows = await database.prisma.installationSecret.findMany({ where: { name: { in: ['C', 'D'] } } })
    expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(2)
    const all = JSON.stringify(await database.prisma.installationSecret.findMany())
    for (const secret of [OLD, NEW]) expect(all).not.toContain(secret)
  })

  it('can be reset for one variable, so that the next node sets its own', async () => {
    await start(named('E', OLD, NEW))
    await start(named('F', OLD))
    expect(await forgetSecret(database, 'E')).toBe(true)
    expect(await forgetSecret(database, 'E')).toBe(false)
    expect([await statusOf(named('E', NEW)), await statusOf(named('F', NEW))]).toEqual([
      'unknown',
      'different',
    ])
  })

  it('come from the first of two nodes that start at once', async () => {
    const both = await Promise.all([OLD, NEW].map((secret) => start(named('G', secret))))
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining(['shared', 'different']))
  })
})
