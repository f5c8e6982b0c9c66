import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import {
  listSnapshotKeys,
  loadSnapshotKeys,
  moveSnapshotKeys,
  noteSnapshotKey,
} from '../../../src/platform/installation/snapshot-keys.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const PEPPER = 'the pepper of this installation'
const AT = new Date('2026-11-20T12:00:00Z')
const LATER = new Date('2026-11-21T12:00:00Z')
const OLD = { keyId: 'k-2025', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
const NEW = { keyId: 'k-2026', x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw' }

describe('public keys of snapshots', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    await noteSnapshotKey(database, PEPPER, OLD, AT)
    await noteSnapshotKey(database, PEPPER, NEW, LATER)
  })
  afterAll(() => database?.close())

  it('stay after another key has taken over, newest first', async () => {
    await noteSnapshotKey(database, PEPPER, NEW, LATER)
    expect(await loadSnapshotKeys(database, PEPPER)).toEqual([NEW, OLD])
  })

  it('exclude a key that was written into the database without the pepper', async () => {
    const forged = { keyId: 'forged', x: NEW.x, seal: 'a'.repeat(43), notedAt: LATER }
    await database.prisma.snapshotSigningKey.create({ data: forged })
    const { seal } = await database.prisma.snapshotSigningKey.findUniqueOrThrow({
      where: { keyId: OLD.keyId },
    })
    await database.prisma.snapshotSigningKey.create({ data: { ...forged, keyId: 'copied', seal } })
    expect(await loadSnapshotKeys(database, PEPPER)).toEqual([NEW, OLD])
  })

  it('stay trusted while the pepper is rotated, and move to the new one without those that nobody sealed', async () => {
    const next = 'the pepper that replaces it'
    expect(await loadSnapshotKeys(database, next)).toEqual([])
    expect(await loadSnapshotKeys(database, next, PEPPER)).toEqual([NEW, OLD])
    await noteSnapshotKey(database, next, NEW, LATER, PEPPER)
    expect(
      (await listSnapshotKeys(database, [PEPPER])).find(({ keyId }) => keyId === NEW.keyId)?.pepper,
    ).toBe(PEPPER)
    expect(await moveSnapshotKeys(database, next, 'a wrong previous pepper')).toBe(0)
    expect(await moveSnapshotKeys(database, next, PEPPER)).toBe(2)
    expect(await moveSnapshotKeys(database, next, PEPPER)).toBe(0)
    expect(await loadSnapshotKeys(database, next)).toEqual([NEW, OLD])
    expect(await loadSnapshotKeys(database, PEPPER)).toEqual([])
  })
})
