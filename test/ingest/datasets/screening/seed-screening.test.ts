import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainLei } from '../../../../src/core/identifiers.js'
import { identifierKey, leiIdentifiers } from '../../../../src/domains/screening/identifiers-model.js'
import { loadSubjects } from '../../../../src/domains/screening/screened-store.js'
import { SEED_ENTITIES } from '../../../../src/ingest/datasets/screening/screening-entities.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { loadDatasetStates } from '../../../../src/platform/database/versions/dataset-states-store.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'

const DAY_MS = 86_400_000

describe('the synthetic lists', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  afterAll(() => database?.close())

  it('have about 300 entities whose names say that they are synthetic, each with its own LEI', () => {
    expect(SEED_ENTITIES).toHaveLength(300)
    expect(new Set(SEED_ENTITIES.map(({ lei }) => lei)).size).toBe(300)
    for (const { lei, name } of SEED_ENTITIES) {
      expect(explainLei(lei)).toBeNull()
      expect(name).toContain('Made-up')
    }
  })

  it('have some listed, some delisted, some never listed, and some by name only', async () => {
    const keys = leiIdentifiers(SEED_ENTITIES.map(({ lei }) => lei)).map(identifierKey)
    const known = await loadSubjects(database, keys, null)
    const count = (isOne: (subjects: (typeof known)[number]) => boolean) => known.filter(isOne).length
    expect(count((subjects) => subjects.some(({ isListed }) => isListed))).toBe(95)
    expect(
      count((subjects) => subjects.some(({ listings }) => listings.some(({ endedOn }) => endedOn !== null))),
    ).toBe(40)
    expect(count((subjects) => subjects.length === 0)).toBe(20)
    expect(count((subjects) => subjects.length === 3)).toBe(10)
    const [names] = await database.rows<{ count: number }>('select count(*)::int as count from legal_entity')
    expect(names?.count).toBe(300)
  })

  it('are parts of a synthetic dataset, and are confirmed on another day', async () => {
    const before = (await loadDatasetStates(database)).get('screening')
    expect(before?.isDevDataset).toBe(true)
    expect(before?.parts.map(({ part, source }) => `${part} ${source}`)).toEqual([
      'eu_journal_sanctions seed',
      'gleif seed',
      'opensanctions seed',
      'opensanctions_securities seed',
      'us_ofac_sdn seed',
    ])
    const { screening } = await seedWorld(database, new Date(SEEDED_AT.getTime() + DAY_MS), ['screening'])
    expect(screening?.map((run) => [run?.added, run?.revised, run?.rejected])).toEqual(
      Array.from({ length: 5 }, () => [0, 0, 0]),
    )
    const after = (await loadDatasetStates(database)).get('screening')
    expect(after?.observedAt.getTime()).toBe(SEEDED_AT.getTime() + DAY_MS)
  })
})
