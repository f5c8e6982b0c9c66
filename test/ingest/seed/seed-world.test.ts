import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import { instrumentsBody } from '../../../src/ingest/providers/reference/instrument-facts.js'
import { seedInstruments } from '../../../src/ingest/seed/seed-instruments.js'
import { type SeedSummary, seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database.js'
import { keptTables } from '../../support/kept-tables.js'

const FRIDAY = new Date('2026-11-20T12:00:00Z')
const TUESDAY = new Date('2026-11-24T18:00:00Z')
const MASTER_AND_RATES = ['instruments', 'forex'] as const
const context = { now: FRIDAY, onRead: () => {} }

describe.each(availableDatabases())('seedWorld on %s', (kind) => {
  let database: Database
  let seedFriday: () => Promise<SeedSummary>
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const tables = ['asset', 'instrument', 'asset_contract', 'forex_rate', 'ingest_run', 'dataset_state']
    seedFriday = keptTables(database, tables, () => seedWorld(database, FRIDAY, MASTER_AND_RATES))
  })
  beforeEach(() =>
    database.script(
      'truncate forex_rate, instrument, asset, asset_contract, candle, asset_supply, ingest_run, dataset_state',
    ),
  )
  afterAll(() => database.close())

  const states = () =>
    database.rows(
      'select dataset, version, source, is_dev_dataset, observed_at from dataset_state order by dataset',
    )
  const count = async (table: string) =>
    (await database.rows<{ rows: number }>(`select count(*) as rows from ${table} where source = 'seed'`))[0]
      ?.rows

  it('makes 148 instruments and 36,450 rates, all marked as seed', async () => {
    const { instruments, forex } = await seedFriday()
    expect(instruments).toMatchObject({ added: 148, rejected: 0 })
    expect(forex).toMatchObject({ added: 36_450, rejected: 0 })
    expect([await count('asset'), await count('instrument'), await count('forex_rate')]).toEqual([
      148, 148, 36_450,
    ])
    expect(await states()).toEqual([
      {
        dataset: 'forex',
        version: 1,
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
    await seedFriday()
    const { instruments, forex } = await seedWorld(database, FRIDAY, MASTER_AND_RATES)
    expect(instruments).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(forex).toBeNull()
    expect(await states()).toMatchObject([{ version: 1 }, { version: 1 }])
  })

  it('adds two days of 29 currencies two days later, and confirms the instruments', async () => {
    await seedFriday()
    const { instruments, forex } = await seedWorld(database, TUESDAY, MASTER_AND_RATES)
    expect(instruments).toMatchObject({ added: 0, revised: 0, unchanged: 148 })
    expect(forex).toMatchObject({ added: 3 * 29, revised: 0 })
    expect(await states()).toMatchObject([
      { dataset: 'forex', version: 2, observed_at: new Date('2026-11-24T15:00:00Z') },
      { dataset: 'instruments', version: 2, observed_at: TUESDAY },
    ])
  })

  it('makes candles and supplies of 60 assets, nothing within the hour, and later what is new', async () => {
    const first = await seedWorld(database, FRIDAY, ['candles', 'supply'])
    expect(first.candles).toMatchObject({ added: 22_880, revised: 0, rejected: 0 })
    expect(first.supply).toMatchObject({ added: 60, rejected: 0 })
    expect(await states()).toEqual([
      { dataset: 'candles', version: 1, source: 'seed', is_dev_dataset: true, observed_at: FRIDAY },
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
    expect((await states())[0]).toMatchObject({ dataset: 'candles', version: 2, observed_at: TUESDAY })
  })

  it('mends an instrument that was changed by hand', async () => {
    await seedFriday()
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

  it('rejects an identifier whose check digit is wrong, alone and by name', () => {
    expect(parse([{ ...bitcoin, isin: 'US0378331006' }, bitcoin])).toEqual([
      { kind: 'rejected', position: 'entry 1, "bitcoin"', reason: 'isin is not an ISIN' },
      { kind: 'row', row: bitcoin },
    ])
  })

  it('rejects what is no instrument', () => {
    expect(parse([7])).toMatchObject([{ kind: 'rejected', position: 'entry 1, without a slug' }])
  })

  it.each([['{'], ['{}']])('refuses the body %s', (body) => {
    expect(() => [...seedInstruments.parse(new TextEncoder().encode(body), context)]).toThrow(
      'the body is not',
    )
  })
})
