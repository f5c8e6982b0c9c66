import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import {
  compareSecrets,
  forgetSecret,
  noteSecrets,
  type SharedSecret,
} from '../../../src/platform/installation/shared-secrets.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const AT = new Date('2026-11-20T12:00:00Z')
const LATER = new Date('2026-11-21T12:00:00Z')
const OLD = 'the secret that the first node has'
const NEW = 'the secret that replaces it'

const named = (name: string, ...secrets: SharedSecret['secrets']): SharedSecret => ({ name, secrets })

describe.each(availableDatabases())('secrets that nodes share on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database?.close())

  const statusOf = async (secret: SharedSecret) => (await compareSecrets(database, [secret]))[0]?.status

  it('are recorded by the first node, and a node with another one is told', async () => {
    expect(await statusOf(named('A', OLD))).toBe('unknown')
    expect(await noteSecrets(database, [named('A', OLD)], AT)).toEqual([
      { name: 'A', status: 'shared', notedAt: AT },
    ])
    expect(await noteSecrets(database, [named('A', NEW)], LATER)).toEqual([
      { name: 'A', status: 'different', notedAt: AT },
    ])
    expect(await statusOf(named('A', OLD))).toBe('shared')
  })

  it('follow a rotation: a node that accepts the recorded secret behind a new one records the new one', async () => {
    await noteSecrets(database, [named('B', OLD)], AT)
    await noteSecrets(database, [named('B', NEW, OLD)], LATER)
    expect(await statusOf(named('B', NEW))).toBe('shared')
    expect(await statusOf(named('B', OLD, NEW))).toBe('shared')
    expect(await statusOf(named('B', OLD))).toBe('different')
  })

  it('distinguish the same secret under two names, and store no secret', async () => {
    await noteSecrets(database, [named('C', OLD), named('D', OLD)], AT)
    const rows = await database.prisma.installationSecret.findMany({ where: { name: { in: ['C', 'D'] } } })
    expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(2)
    expect(JSON.stringify(rows)).not.toContain(OLD)
  })

  it('can be reset for one variable, so that the next node sets its own', async () => {
    await noteSecrets(database, [named('E', OLD), named('F', OLD)], AT)
    expect(await forgetSecret(database, 'E')).toBe(true)
    expect(await forgetSecret(database, 'E')).toBe(false)
    expect([await statusOf(named('E', NEW)), await statusOf(named('F', NEW))]).toEqual([
      'unknown',
      'different',
    ])
  })

  it('come from the first of two nodes that start at once', async () => {
    const both = await Promise.all(
      [OLD, NEW].map((secret) => noteSecrets(database, [named('G', secret)], AT)),
    )
    expect(both.flat().map(({ status }) => status)).toEqual(expect.arrayContaining(['shared', 'different']))
  })
})
