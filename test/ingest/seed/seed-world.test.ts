import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import { seedInstruments } from '../../../src/ingest/datasets/instruments/seed-instruments.js'
import { instrumentsBody } from '../../../src/ingest/providers/reference/assets.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { keptTables } from '../../support/database/kept-tables.js'

const FRIDAY = new Date('2026-11-20T12:00:00Z')
const TUESDAY = new Date('2026-11-24T18:00:00Z')
const MASTER_AND_RATES = ['instruments', 'forex'] as const
const context = { now: FRIDAY, onRead: () => {}, onAbsent: () => {} }

// The seeded world is what seedWorld makes of an empty database on Friday; each test begins with it.
describe.each(availableDatabases())('seedWorld on %s', (kind) => {
  let database: Database
  let restore: () => Promise<void>
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    const small = ['asset', 'instrument', 'asset_contract', 'venue_symbol', 'asset_supply', 'ingest_run']
    restore = keptTables(database, [...small, 'dataset_state'], async () => {})
  })
  beforeEach(async () => {
    await restore()
    await database.rows('delete from candle where known_from > $1', [FRIDAY])
    await database.rows('delete from forex_rate where known_from > $1', [FRIDAY])
  })
  afterAll(() => database.close())

  const ledger = async (feed: string) => {
    const [run] = await database.rows(
      `select count(*)::int as runs, array_agg(distinct status) as status, sum(added)::int as added,
         sum(revised)::int as revised, sum(rejected)::int as rejected from ingest_run where feed = $1`,
      [feed],
    )
    return run
  }
  const states = (...datasets: readonly string[]) =>
    database.rows(
      `select dataset, version, source, is_dev_dataset, observed_at from dataset_state where dataset = any($1::text[])
       order by dataset`,
      [datasets],
    )
  const count = async (table: string) =>
    (await database.rows<{ rows: number }>(`select count(*) as rows from ${table} where source = 'seed'`))[0]
      ?.rows

  it('creates 148 instruments and 36,450 rates, all marked as seed', async () => {
    const ok = { status: ['succeeded'], rejected: 0 }
    expect(await ledger('seed-instruments')).toEqual({ ...ok, runs: 1, added: 148, revised: 0 })
    // A run for each vintage; the provisional rates of one day were revised.
    expect(await ledger('seed-forex')).toEqual({ ...ok, runs: 3, added: 36_450, revised: 29 })
    expect([await count('asset'), await count('instrument'), await count('forex_rate')]).toEqual([
      148,
      148,
      36_450 + 29,
    ])
    expect(await states('forex', 'instruments')).toEqual([
      {
        dataset: 'forex',
        version: 3,
        source: 'seed',
        is_dev_dataset: true,
        observed_at: new Date('2026-11-19T15:00:00Z'),
      },
      { dataset: 'instruments', version: 1, source: 'seed', is_dev_dataset: true, observed_at: FRIDAY },
    ])
    const [apple] = await database.rows(
      `select asset_id, slug, a.ticker, asset_class::text, tier, mic, isin, figi, currency, sector_gics, cik, is_primary,
         last_updated from asset as a join instrument as i using (asset_id) where slug = 'apple'`,
    )
    expect(apple).toEqual({
      asset_id: 1001,
      slug: 'apple',
      ticker: 'AAPL',
      asset_class: 'stock',
      tier: null,
      mic: 'XNAS',
      isin: 'US0378331005',
      figi: 'BBG000B9XRY4',
      currency: 'USD',
      sector_gics: 'Information Technology',
      cik: '0000320193',
      is_primary: true,
      last_updated: FRIDAY,
    })
  })

  it('changes nothing when run again at the same instant', async () => {
    const { instruments, forex } = await seedWorld(database, FRIDAY, MASTER_AND_RATES)
    expect(instruments).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(forex).toBeNull()
    expect(await states('forex', 'instruments')).toMatchObject([{ version: 3 }, { version: 1 }])
  })

  it('adds two days of 29 currencies two days later, and confirms the instruments', async () => {
    const { instruments, forex } = await seedWorld(database, TUESDAY, MASTER_AND_RATES)
    expect(instruments).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(forex).toMatchObject({ added: 3 * 29, revised: 0 })
    expect(await states('forex', 'instruments')).toMatchObject([
      { dataset: 'forex', version: 4, observed_at: new Date('2026-11-24T15:00:00Z') },
      { dataset: 'instruments', version: 2, observed_at: TUESDAY },
    ])
  })

  it('creates candles and supplies of 60 assets, nothing within the hour, and later new ones', async () => {
    const ok = { status: ['succeeded'], rejected: 0 }
    // Two provisional days and two hours of 60 assets were revised, but for four that had no more venues in the end.
    expect(await ledger('seed-candles')).toEqual({ ...ok, runs: 3, added: 54_060, revised: 236 })
    expect(await ledger('seed-supply')).toEqual({ ...ok, runs: 1, added: 60, revised: 0 })
    expect([await count('candle'), await count('asset_supply')]).toEqual([54_060 + 236, 60])
    expect(await states('candles', 'supply')).toEqual([
      { dataset: 'candles', version: 3, source: 'seed', is_dev_dataset: true, observed_at: FRIDAY },
      {
        dataset: 'supply',
        version: 1,
        source: 'seed',
        is_dev_dataset: true,
        observed_at: new Date('2026-11-20T00:00:00Z'),
      },
    ])
    const soon = await seedWorld(database, new Date('2026-11-20T12:59:59Z'), ['candles', 'supply'])
    expect(soon).toMatchObject({ candles: null, supply: null })
    const later = await seedWorld(database, TUESDAY, ['candles', 'supply'])
    // Four days and 102 hours of each asset.
    expect(later.candles).toMatchObject({ added: 60 * 106, revised: 0, unchanged: 0 })
    expect(later.supply).toMatchObject({ added: 0, revised: 60 })
    expect((await states('candles'))[0]).toMatchObject({
      dataset: 'candles',
      version: 4,
      observed_at: TUESDAY,
    })
  })

  it('repairs an instrument that was changed by hand', async () => {
    await database.script(
      `update asset set name = 'Appel' where slug = 'apple'; delete from instrument where ticker = 'BTC'`,
    )
    const { instruments } = await seedWorld(database, FRIDAY, MASTER_AND_RATES)
    expect(instruments).toMatchObject({ added: 0, revised: 2, unchanged: 146 })
    expect(await database.rows("select name from asset where slug = 'apple'")).toEqual([
      { name: 'Apple Inc.' },
    ])
    expect(await count('instrument')).toBe(148)
  })
})

describe('seed-instruments', () => {
  const parse = (list: unknown) => [
    ...seedInstruments.parse(new TextEncoder().encode(JSON.stringify(list)), context),
  ]
  const [bitcoin] = JSON.parse(new TextDecoder().decode(instrumentsBody())) as readonly InstrumentFacts[]

  it('rejects an identifier with a wrong check digit, alone and by name', () => {
    expect(parse([{ ...bitcoin, isin: 'US0378331006' }, bitcoin])).toEqual([
      { kind: 'rejected', position: 'entry 1, "bitcoin"', reason: 'isin is not an ISIN' },
      { kind: 'row', row: bitcoin },
    ])
  })

  it('rejects an invalid instrument', () => {
    expect(parse([7])).toMatchObject([{ kind: 'rejected', position: 'entry 1, without a slug' }])
  })

  it.each([['{'], ['{}']])('refuses the body %s', (body) => {
    expect(() => [...seedInstruments.parse(new TextEncoder().encode(body), context)]).toThrow(
      'the body is not',
    )
  })
})
