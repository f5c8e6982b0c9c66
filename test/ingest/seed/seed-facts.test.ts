import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const NEXT_DAY = new Date('2026-11-21T00:00:00Z')
const PARTS = ['commodities', 'asset_onchain', 'protocols', 'news', 'events'] as const

describe('the seed of commodities, on-chain figures, protocols, news and events', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'empty')
    await seedWorld(database, NOW, ['instruments'])
  })
  afterAll(() => database?.close())

  it('has months of 8 commodities, 30 days of 20 assets and of 20 protocols, and fundamentals', async () => {
    const began = performance.now()
    const made = await seedWorld(database, NOW, PARTS)
    const seconds = ((performance.now() - began) / 1_000).toFixed(2)
    process.stdout.write(`seed of facts: ${seconds} s\n`)
    expect(made.commodities).toMatchObject({ added: 8 * 60, rejected: 0 })
    expect(made.asset_onchain).toMatchObject({ added: 20 * 30, rejected: 0 })
    expect(made.protocols).toMatchObject({ added: 20 * (30 * 2 + 7), rejected: 0 })
    expect(made.news).toMatchObject({ rows: 365, added: 365, alsoChanged: 514, rejected: 0 })
    expect(made.events).toMatchObject({ rows: 67, rejected: 0 })
    const [count] = await database.rows(
      `select count(distinct asset_id)::int as assets, count(*)::int as rows,
         count(*) filter (where source <> 'seed')::int as others from asset_fundamentals`,
    )
    expect(count).toEqual({ assets: 15, rows: 450, others: 0 })
  })

  it('is created once, and gains a day a day later', async () => {
    const again = await seedWorld(database, NOW, PARTS)
    expect([again.commodities, again.asset_onchain, again.protocols]).toEqual([null, null, null])
    const later = await seedWorld(database, NEXT_DAY, PARTS)
    expect([again.news, again.events, later.events]).toEqual([null, null, null])
    expect(later.news).toMatchObject({ rows: 365, revised: 0 })
    expect(later.commodities).toBeNull()
    expect(later.asset_onchain).toMatchObject({ added: 20, revised: 0, unchanged: 580 })
    // The new day of 15 assets is derived at the end of the run.
    expect(later.protocols).toMatchObject({
      added: 60,
      revised: 0,
      alsoChanged: 15,
      unchanged: 20 * (29 * 2 + 6),
    })
  })
})
