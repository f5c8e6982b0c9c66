import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadLatestFigures } from '../../../src/domains/market/series-store.js'
import {
  loadSupplyMethodologies,
  removeSupplies,
  setSupplies,
  withdrawSupplies,
  writeSupplies,
} from '../../../src/domains/market/supply-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'

const T1 = new Date('2026-11-20T10:00:00.000Z')
const T2 = new Date('2026-11-20T11:00:00.000Z')
const T3 = new Date('2026-11-20T12:00:00.000Z')
const rowOf = (supply: string, day: string, assetId = 1) => ({
  assetId,
  supply,
  observedAt: new Date(`${day}T00:00:00Z`),
  methodology: `counted on ${day}`,
})

describe.each(availableDatabases())('supplies on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  beforeEach(() => emptiedOfFew(database, ['asset_supply']))
  afterAll(() => database.close())

  const write = (
    knownAt: Date,
    source: string,
    row: ReturnType<typeof rowOf>,
    yieldsTo?: readonly string[],
  ) => database.transaction((tx) => writeSupplies(tx, [row], { knownAt, source }, yieldsTo))
  const current = () =>
    database.rows<Record<string, unknown>>(
      `select asset_id, trim_scale(supply) as supply, source from asset_supply where known_to is null order by asset_id`,
    )

  it('replaces the current count by a later one only', async () => {
    expect(await write(T1, 'seed', rowOf('19800000.5', '2026-11-18'))).toEqual({
      added: 1,
      revised: 0,
      unchanged: 0,
    })
    expect(await write(T2, 'seed', rowOf('19800000.50', '2026-11-18'))).toEqual({
      added: 0,
      revised: 0,
      unchanged: 1,
    })
    expect(await write(T2, 'seed', rowOf('1', '2026-11-17'))).toEqual({ added: 0, revised: 0, unchanged: 1 })
    expect(await write(T2, 'chain', rowOf('19800001', '2026-11-19'))).toEqual({
      added: 0,
      revised: 1,
      unchanged: 0,
    })
    expect((await loadLatestFigures(database, [1], T3)).get('1')).toEqual({
      candle: null,
      supply: { supply: '19800001', source: 'chain', observedAt: new Date('2026-11-19') },
    })
    expect(await loadSupplyMethodologies(database.prisma, [1, 2])).toEqual(
      new Map([['1', 'counted on 2026-11-19']]),
    )
    expect(await database.transaction((tx) => removeSupplies(tx, 'seed'))).toBe(1)
    expect(await database.rows('select known_from from asset_supply')).toEqual([{ known_from: T2 }])
  })

  it('keeps a figure whose source has precedence, and replaces those of others', async () => {
    const own = { knownAt: T1, source: 'operator' }
    await database.transaction((tx) => setSupplies(tx, [rowOf('5', '2026-01-01')], own))
    expect(await write(T2, 'chain', rowOf('6', '2026-11-19'), ['operator'])).toEqual({
      added: 0,
      revised: 0,
      unchanged: 1,
    })
    expect(await write(T2, 'chain', rowOf('7', '2026-11-19', 2), ['operator'])).toMatchObject({ added: 1 })
    expect(await current()).toEqual([
      { asset_id: 1, supply: '5', source: 'operator' },
      { asset_id: 2, supply: '7', source: 'chain' },
    ])
  })

  it('stores a figure that was observed before the current one', async () => {
    await write(T1, 'chain', rowOf('6', '2026-11-19'))
    const own = { knownAt: T2, source: 'operator' }
    const counts = await database.transaction((tx) => setSupplies(tx, [rowOf('5', '2026-01-01')], own))
    expect(counts).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect(await current()).toEqual([{ asset_id: 1, supply: '5', source: 'operator' }])
  })

  it('withdraws the figures of one source, which stay known as of earlier', async () => {
    await database.transaction((tx) =>
      setSupplies(tx, [rowOf('5', '2026-01-01')], { knownAt: T1, source: 'operator' }),
    )
    await write(T1, 'chain', rowOf('7', '2026-11-19', 2))
    const withdrawn = await database.transaction((tx) =>
      withdrawSupplies(tx, [1, 2, 3], { knownAt: T2, source: 'operator' }),
    )
    expect(withdrawn).toBe(1)
    expect(await current()).toEqual([{ asset_id: 2, supply: '7', source: 'chain' }])
    expect(await database.rows('select known_from, known_to from asset_supply where asset_id = 1')).toEqual([
      { known_from: T1, known_to: T2 },
    ])
    expect(await write(T3, 'chain', rowOf('6', '2026-11-19'), ['operator'])).toMatchObject({ added: 1 })
  })
})
