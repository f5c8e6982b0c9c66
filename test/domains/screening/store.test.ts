import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseLei } from '../../../src/core/identifiers.js'
import { parseIsoDate } from '../../../src/core/time.js'
import { identifierKey, leiIdentifiers } from '../../../src/domains/screening/identifiers-model.js'
import type { ListBody, ListingRow, ScreeningRow, SubjectRow } from '../../../src/domains/screening/model.js'
import { loadLegalNames, loadSubjects } from '../../../src/domains/screening/screened-store.js'
import { removeScreening, ScreeningWriter, writeLegalNames } from '../../../src/domains/screening/store.js'
import { UNPROVEN } from '../../../src/platform/bi-temporal/withdraw/wholeness.js'
import { TooManyWithdrawn } from '../../../src/platform/bi-temporal/withdraw/withdraw-unseen.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'

const T1 = new Date('2026-01-10T10:00:00.000Z')
const T2 = new Date('2026-02-10T10:00:00.000Z')
const T3 = new Date('2026-03-10T10:00:00.000Z')
const leiOf = (text: string) => parseLei(text) ?? expect.fail(`${text} is no LEI`)
const A = leiOf('HWUPKR0MPOU8FGXBT394')
const B = leiOf('5493001KJTIIGC8Y1R12')

const keysOf = (...leis: (typeof A)[]) => leiIdentifiers(leis).map(identifierKey)

function bodyOf(more: Partial<ListBody> = {}): ListBody {
  return { list: 'opensanctions', isWhole: false, isComplete: true, ...more }
}

const WHOLE = bodyOf({ isWhole: true, isProven: true })

function subject(subjectId: string, more: Partial<SubjectRow> = {}): SubjectRow {
  return {
    kind: 'subject',
    body: bodyOf(),
    section: '',
    subjectId,
    identifiers: leiIdentifiers([A]),
    name: `"Quoted", \\ {name} of ${subjectId}`,
    isListed: true,
    lists: ['a "list", {b}'],
    programs: [],
    listedOn: null,
    referents: [],
    observedAt: null,
    ...more,
  }
}

function listing(listingId: string, subjectId: string, day: string, body = bodyOf()): ListingRow {
  const dates = { listedOn: parseIsoDate(day), endedOn: null }
  return {
    kind: 'listing',
    body,
    listingId,
    subjectId,
    programs: ['US-X'],
    lists: ['l'],
    ...dates,
    observedAt: null,
  }
}

const gone = (id: string): ScreeningRow => ({ kind: 'gone', body: bodyOf(), id, observedAt: null })

describe.each(availableDatabases())('the screening store on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
  })
  afterAll(() => database?.close())
  beforeEach(() => emptiedOfFew(database, ['sanctions_subject', 'sanctions_listing', 'legal_entity']))

  const run = (knownAt: Date, ...rows: readonly ScreeningRow[]) =>
    database.transaction(async (tx) => {
      const writer = new ScreeningWriter(tx)
      const known = { knownAt, source: 'x' }
      return { ...(await writer.write(rows, known)), ...(await writer.withdrawUnlisted(known, UNPROVEN)) }
    })
  const known = async (asOf: Date | null, lei = A) => {
    const [subjects] = await loadSubjects(database, keysOf(lei), asOf)
    return subjects?.map(({ subjectId, isListed, leftAt }) =>
      [subjectId, isListed, leftAt?.toISOString().slice(0, 10)].join(' ').trim(),
    )
  }

  it('reads at most 50 entities of an LEI, which displace none of another', async () => {
    const many = Array.from({ length: 60 }, (_, at) => subject(`A-${at}`))
    await run(T1, ...many, subject('Z-1', { identifiers: leiIdentifiers([B]) }))
    const found = await loadSubjects(database, keysOf(A, B), null)
    expect(found.map((subjects) => subjects.length)).toEqual([50, 1])
  })

  it('keeps texts unchanged, and writes equal rows once', async () => {
    const rows = [subject('NK-1'), listing('s-1', 'NK-1', '2022-02-24')]
    expect(await run(T1, ...rows)).toMatchObject({ added: 2, revised: 0, unchanged: 0, withdrawn: 0 })
    expect(await run(T2, ...rows)).toMatchObject({ added: 0, revised: 0, unchanged: 2, withdrawn: 0 })
    expect(await loadSubjects(database, keysOf(B, A), null)).toMatchObject([
      [],
      [
        {
          list: 'opensanctions',
          subjectId: 'NK-1',
          name: '"Quoted", \\ {name} of NK-1',
          lists: ['a "list", {b}'],
          knownFrom: T1,
          leftAt: null,
          listings: [
            { programs: ['US-X'], lists: ['l'], listedOn: '2022-02-24', endedOn: null, isGone: false },
          ],
        },
      ],
    ])
  })

  it('keeps an entity that has left, with the instant, and earlier knowledge', async () => {
    await run(T1, subject('NK-1'), listing('s-1', 'NK-1', '2022-02-24'))
    expect(await run(T2, gone('NK-1'), gone('s-1'), gone('never there'))).toMatchObject({
      added: 0,
      revised: 2,
      unchanged: 1,
    })
    expect(await run(T3, gone('NK-1'))).toMatchObject({ revised: 0 })
    expect(await known(null)).toEqual(['NK-1 true 2026-02-10'])
    expect(await known(T1)).toEqual(['NK-1 true'])
    expect(await known(new Date(T1.getTime() - 1))).toEqual([])
    expect((await loadSubjects(database, keysOf(A), null))[0]?.[0]?.listings).toMatchObject([
      { isGone: true },
    ])
    expect((await loadSubjects(database, keysOf(A), T1))[0]?.[0]?.listings).toMatchObject([{ isGone: false }])
  })

  it('restores an entity that had left', async () => {
    await run(T1, subject('NK-1'))
    await run(T2, gone('NK-1'))
    await run(T3, subject('NK-1'))
    expect(await known(null)).toEqual(['NK-1 true'])
    expect(await known(T2)).toEqual(['NK-1 true 2026-02-10'])
  })

  it('distinguishes an LEI that its entity has lost from a current one', async () => {
    await run(T1, subject('NK-1', { identifiers: leiIdentifiers([A, B]) }))
    await run(T2, subject('NK-1', { identifiers: leiIdentifiers([B]) }))
    expect([await known(null), await known(null, B), await known(T1)]).toEqual([
      ['NK-1 true 2026-02-10'],
      ['NK-1 true'],
      ['NK-1 true'],
    ])
  })

  it('does not clear an LEI that its list only omits from an entity which it still names', async () => {
    await run(T1, subject('NK-1'), subject('NK-2'), subject('NK-3'))
    await run(
      T2,
      subject('NK-1', { identifiers: leiIdentifiers([]) }),
      subject('NK-2', { identifiers: leiIdentifiers([B]) }),
      gone('NK-3'),
    )
    expect(await known(null)).toEqual(['NK-1 true', 'NK-2 true 2026-02-10', 'NK-3 true 2026-02-10'])
    expect(await known(T1)).toEqual(['NK-1 true', 'NK-2 true', 'NK-3 true'])
    await run(
      T3,
      gone('NK-1'),
      subject('NK-2', { identifiers: leiIdentifiers([]) }),
      subject('NK-3', { identifiers: leiIdentifiers([]) }),
    )
    expect(await known(null)).toEqual(['NK-1 true 2026-03-10', 'NK-2 true 2026-02-10', 'NK-3 true'])
    expect(await known(T2)).toEqual(['NK-1 true', 'NK-2 true 2026-02-10', 'NK-3 true 2026-02-10'])
  })

  it('reads at most 100 designations of an entity: current ones, newest first', async () => {
    const day = (at: number) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10)
    const many = Array.from({ length: 150 }, (_, at) =>
      listing(`s-${String(at).padStart(3, '0')}`, 'NK-1', day(at)),
    )
    await run(T1, subject('NK-1'), ...many)
    await run(T2, ...Array.from({ length: 40 }, (_, at) => gone(`s-${149 - at}`)))
    const [subjects] = await loadSubjects(database, keysOf(A), null)
    const found = subjects?.[0]?.listings ?? []
    expect(found).toHaveLength(100)
    expect(found.every(({ isGone }) => !isGone)).toBe(true)
    expect([found[0]?.listedOn, found.at(-1)?.listedOn]).toEqual([day(10), day(109)])
  })

  it('withdraws entries that a complete body no longer names, in its own sections only', async () => {
    const whole = bodyOf({ list: 'eu_journal_sanctions', isWhole: true, isProven: true })
    const of = (section: string, id: string, body: ListBody) => subject(id, { section, body })
    await run(T1, of('R1', '1', whole), of('R1', '2', whole), of('R2', '3', whole), subject('NK-1'))
    expect(await run(T2, of('R1', '1', whole))).toMatchObject({ unchanged: 1, withdrawn: 1 })
    expect(await known(null)).toEqual(['1 true', '2 true 2026-02-10', '3 true', 'NK-1 true'])
  })

  it('withdraws nothing by a body that lost rows, or that is not a whole list', async () => {
    await run(
      T1,
      subject('NK-1', { body: WHOLE }),
      subject('NK-2', { body: WHOLE }),
      listing('s', 'NK-1', '2022-01-01', WHOLE),
    )
    const damaged = bodyOf({ isWhole: true, isComplete: false })
    expect(await run(T2, subject('NK-1', { body: damaged }))).toMatchObject({ withdrawn: 0 })
    expect(await run(T2, subject('NK-1'))).toMatchObject({ withdrawn: 0 })
    expect(
      await run(T3, subject('NK-1', { body: WHOLE }), listing('t', 'NK-1', '2022-01-01', WHOLE)),
    ).toMatchObject({
      withdrawn: 2,
    })
  })

  it('refuses a complete body that has lost most of the list', async () => {
    const many = Array.from({ length: 40 }, (_, at) => subject(`NK-${at}`, { body: WHOLE }))
    await run(T1, ...many)
    await expect(run(T2, ...many.slice(0, 10))).rejects.toThrow(TooManyWithdrawn)
    expect((await known(null))?.filter((text) => text.includes('2026'))).toEqual([])
  })

  it('merges an entity into the one that names it, and finds its designations by either id', async () => {
    await run(T1, subject('NK-1'), listing('s-1', 'NK-1', '2022-02-24'))
    const merged = subject('Q9', { referents: ['NK-1', 'ofac-1'] })
    expect(await run(T2, merged)).toMatchObject({ added: 1, revised: 0, alsoChanged: 1 })
    expect(await known(null)).toEqual(['NK-1 true 2026-02-10', 'Q9 true'])
    const [subjects] = await loadSubjects(database, keysOf(A), null)
    expect(subjects?.map(({ listings }) => listings.length)).toEqual([1, 1])
  })

  it('keeps the last of several rows on one entity in a batch', async () => {
    await run(T1, subject('NK-1'), gone('NK-1'), gone('NK-2'), subject('NK-2'))
    expect(await known(null)).toEqual(['NK-2 true'])
  })

  it('keeps current and former legal names, and removes the rows of a source', async () => {
    const name = (knownAt: Date, legalName: string) =>
      database.transaction((tx) =>
        writeLegalNames(tx, [{ lei: A, legalName, observedAt: null }], { knownAt, source: 'x' }),
      )
    await name(T1, 'Old Ltd')
    expect(await name(T2, 'New Ltd')).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect(await loadLegalNames(database.prisma, [A, B], null)).toEqual(new Map([[A, 'New Ltd']]))
    expect(await loadLegalNames(database.prisma, [A], T1)).toEqual(new Map([[A, 'Old Ltd']]))
    await run(T1, subject('NK-1'), listing('s', 'NK-1', '2022-01-01'))
    expect(await database.transaction((tx) => removeScreening(tx, 'y'))).toBe(0)
    expect(await database.transaction((tx) => removeScreening(tx, 'x'))).toBe(4)
    expect(await known(null)).toEqual([])
  })
})
