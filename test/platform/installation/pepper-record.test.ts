import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { loadPepperPosition, notePeppers } from '../../../src/platform/installation/pepper-record.js'
import { forgetSecret, recordFirstSecrets } from '../../../src/platform/installation/shared-secrets.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const AT = new Date('2026-11-20T12:00:00Z')
const [A, B, C] = ['the first pepper', 'the second pepper', 'the third pepper']

const peppers = (
  keyPepper: string,
  overlap: { readonly next?: string; readonly previous?: string } = {},
) => ({
  keyPepper,
  keyPepperOverlap: { next: null, previous: null, ...overlap },
})

describe.each(availableDatabases())('peppers of the nodes on %s', (kind) => {
  let database: Database
  let needsOther: boolean
  beforeEach(async () => {
    database ??= await openTestDatabase(kind)
    await database.prisma.installationSecret.deleteMany()
    needsOther = false
  })
  afterAll(() => database?.close())

  const start = (...given: Parameters<typeof peppers>) =>
    notePeppers(database, peppers(...given), AT, async () => needsOther)
  const position = (...given: Parameters<typeof peppers>) => loadPepperPosition(database, peppers(...given))

  it('are rotated by three rolling restarts, in each of which any node of before may start again', async () => {
    expect(await position(A)).toBe('unknown')
    for (const _ of ['one', 'two']) expect(await start(A)).toBeNull()
    for (const _ of ['one', 'two']) expect(await start(A, { next: B })).toBeNull()
    expect([await position(A, { next: B }), await position(B, { previous: A })]).toEqual(['current', 'ahead'])
    expect(await start(B, { previous: A })).toBeNull()
    expect(await start(A, { next: B })).toBeNull()
    expect([await position(A, { next: B }), await position(B, { previous: A })]).toEqual([
      'behind',
      'current',
    ])
    expect(await start(B, { previous: A })).toBeNull()
    expect(await start(B)).toBeNull()
    expect(await start(B, { previous: A })).toBeNull()
    expect(await start(B)).toBeNull()
    expect(await start(A)).toBe('different')
  })

  it('cannot change before a node has accepted the new one, nor after one that does not has started', async () => {
    await start(A)
    expect(await start(B, { previous: A })).toBe('unannounced')
    expect(await position(A)).toBe('current')
    await start(A, { next: B })
    await start(A)
    expect(await start(B, { previous: A })).toBe('unannounced')
    await start(A, { next: C })
    expect(await start(B, { previous: A })).toBe('unannounced')
    expect(await start(C, { previous: A })).toBeNull()
  })

  it('keep the previous one while something needs it, also before another rotation', async () => {
    await start(A, { next: B })
    await start(B, { previous: A })
    needsOther = true
    expect(await start(B, { previous: A })).toBeNull()
    expect(await start(B)).toBe('unfinished')
    expect(await start(B, { next: C })).toBe('unfinished')
    expect(await start(B, { previous: C })).toBe('unfinished')
    needsOther = false
    expect(await start(B, { next: C })).toBeNull()
    needsOther = true // a secret of the next node: nothing was left of the previous pepper
    expect(await start(B)).toBeNull()
  })

  it('are refused when none of them is the recorded one, and recorded anew once they are forgotten', async () => {
    await start(A)
    expect(await start(B, { previous: C })).toBe('different')
    expect(await start(B, { next: C })).toBe('different')
    await start(A, { next: B })
    expect(await forgetSecret(database, 'KEY_PEPPER')).toBe(true)
    expect(await forgetSecret(database, 'KEY_PEPPER')).toBe(false)
    expect(await start(C)).toBeNull()
    expect(await start(A)).toBe('different')
  })

  it('are those that earlier versions recorded', async () => {
    await recordFirstSecrets(database, [{ name: 'KEY_PEPPER', secrets: [A] }], AT)
    expect([await position(A), await position(B)]).toEqual(['current', 'different'])
    expect(JSON.stringify(await database.prisma.installationSecret.findMany())).not.toContain(A)
  })

  it('come from one of the nodes that start at once, with one result for all', async () => {
    const results = await Promise.all([A, B, A, B].map((pepper) => start(pepper)))
    expect(results.filter((result) => result === null)).toHaveLength(2)
    await database.prisma.installationSecret.deleteMany()
    await start(A, { next: B })
    const both = await Promise.all([
      start(B, { previous: A }),
      start(A, { next: B }),
      start(B, { previous: A }),
    ])
    expect(both).toEqual([null, null, null])
    expect(await position(B)).toBe('current')
  })
})
