import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAsOf } from '../../../src/core/as-of.js'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parseCurrencyCode } from '../../../src/core/identifiers.js'
import type { Rate } from '../../../src/domains/forex/model.js'
import { loadCurrencies, loadRates, removeRates, writeRates } from '../../../src/domains/forex/store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { date as day } from '../../support/iso-date.js'

const T1 = new Date('2026-01-10T10:00:00.000Z')
const T2 = new Date('2026-01-11T10:00:00.000Z')
const T3 = new Date('2026-01-12T10:00:00.000Z')

/** `USD 2026-01-05 1.1` */
function rate(text: string): Rate {
  const [code = '', date = '', value = ''] = text.split(' ')
  const quote = parseCurrencyCode(code)
  if (quote === null) throw new Error(`${code} is no currency`)
  return { quote, date: day(date), rate: decimalText(decimal(value)) }
}

describe.each(availableDatabases())('forex store on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())
  beforeEach(() => database.script('delete from forex_rate'))

  const write = (knownAt: Date, ...texts: readonly string[]) =>
    database.transaction((tx) => writeRates(tx, texts.map(rate), { knownAt, source: 'ecb' }))
  const read = async (asOf: Date | null, ...quotes: readonly string[]) =>
    Object.fromEntries(
      await loadRates(database, {
        quotes,
        from: day('2026-01-01'),
        to: day('2026-01-31'),
        asOf: createAsOf(asOf),
      }),
    )

  it('adds new rates, reports revisions, and leaves equal rates untouched', async () => {
    expect(await write(T1, 'USD 2026-01-05 1.1', 'JPY 2026-01-05 183.03')).toEqual({
      added: 2,
      revised: 0,
      unchanged: 0,
    })
    expect(await write(T2, 'USD 2026-01-05 1.10', 'USD 2026-01-06 1.2')).toEqual({
      added: 1,
      revised: 0,
      unchanged: 1,
    })
    expect(await database.rows('select distinct known_from, known_to from forex_rate order by 1')).toEqual([
      { known_from: T1, known_to: null },
      { known_from: T2, known_to: null },
    ])
  })

  it('keeps both values of a revised rate and returns each as of its time', async () => {
    await write(T1, 'USD 2026-01-05 1.1')
    expect(await write(T2, 'USD 2026-01-05 1.15')).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect(await write(T3, 'USD 2026-01-05 1.1')).toEqual({ added: 0, revised: 1, unchanged: 0 })
    const at = async (instant: Date | null) => (await read(instant, 'USD')).USD
    expect(await at(new Date(T1.getTime() - 1))).toEqual([])
    expect(await at(T1)).toEqual([{ date: '2026-01-05', rate: 1.1 }])
    expect(await at(new Date(T2.getTime() - 1))).toEqual([{ date: '2026-01-05', rate: 1.1 }])
    expect(await at(T2)).toEqual([{ date: '2026-01-05', rate: 1.15 }])
    expect(await at(T3)).toEqual([{ date: '2026-01-05', rate: 1.1 }])
    expect(await at(null)).toEqual([{ date: '2026-01-05', rate: 1.1 }])
  })

  it('dates a revision after the revised rate even if the clock stands still or goes back', async () => {
    await write(T2, 'USD 2026-01-05 1.1')
    expect(await write(T2, 'USD 2026-01-05 1.2')).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect(await write(T1, 'USD 2026-01-05 1.3')).toEqual({ added: 0, revised: 1, unchanged: 0 })
    expect((await read(T2, 'USD')).USD).toEqual([{ date: '2026-01-05', rate: 1.1 }])
    expect((await read(null, 'USD')).USD).toEqual([{ date: '2026-01-05', rate: 1.3 }])
  })

  it('uses the last of two rates of one day in a batch', async () => {
    expect(await write(T1, 'USD 2026-01-05 1.1', 'USD 2026-01-05 1.2')).toEqual({
      added: 1,
      revised: 0,
      unchanged: 0,
    })
    expect((await read(null, 'USD')).USD).toEqual([{ date: '2026-01-05', rate: 1.2 }])
  })

  it('reads the range with both ends, by day, and a list for every requested currency', async () => {
    await write(T1, 'USD 2026-01-06 1.2', 'USD 2026-01-05 1.1', 'USD 2026-01-08 1.3', 'JPY 2026-01-05 183.03')
    const wanted = { quotes: ['USD', 'GBP'], from: day('2026-01-05'), to: day('2026-01-06'), asOf: null }
    expect(await loadRates(database, wanted)).toEqual(
      new Map([
        [
          'USD',
          [
            { date: '2026-01-05', rate: 1.1 },
            { date: '2026-01-06', rate: 1.2 },
          ],
        ],
        ['GBP', []],
      ]),
    )
  })

  it('returns the double nearest to the stored decimal, small and large', async () => {
    await write(T1, 'IDR 2026-01-05 19644.7', 'TRL 2026-01-05 372816', 'KWD 2026-01-05 0.35731234')
    expect(await read(null, 'IDR', 'TRL', 'KWD')).toEqual({
      IDR: [{ date: '2026-01-05', rate: 19644.7 }],
      TRL: [{ date: '2026-01-05', rate: 372816 }],
      KWD: [{ date: '2026-01-05', rate: 0.35731234 }],
    })
  })

  it('names each currency once with its first and last day, now and as of an instant', async () => {
    await write(T1, 'USD 2026-01-05 1.1', 'BGN 2025-12-31 1.9558')
    await write(T2, 'USD 2026-01-06 1.2', 'AUD 2026-01-06 1.7', 'BGN 2025-12-31 1.95583')
    expect(await loadCurrencies(database, null)).toEqual([
      { quote: 'AUD', firstDate: '2026-01-06', lastDate: '2026-01-06' },
      { quote: 'BGN', firstDate: '2025-12-31', lastDate: '2025-12-31' },
      { quote: 'USD', firstDate: '2026-01-05', lastDate: '2026-01-06' },
    ])
    expect(await loadCurrencies(database, createAsOf(T1))).toEqual([
      { quote: 'BGN', firstDate: '2025-12-31', lastDate: '2025-12-31' },
      { quote: 'USD', firstDate: '2026-01-05', lastDate: '2026-01-05' },
    ])
    expect(await loadCurrencies(database, createAsOf(new Date(0)))).toEqual([])
  })

  it('removes the rows of one source only, closed ones too', async () => {
    await write(T1, 'USD 2026-01-05 1.1')
    for (const [knownAt, yen] of [
      [T1, 'JPY 2026-01-05 183'],
      [T2, 'JPY 2026-01-05 184'],
    ] as const)
      await database.transaction((tx) => writeRates(tx, [rate(yen)], { knownAt, source: 'seed' }))
    expect(await database.transaction((tx) => removeRates(tx, 'seed'))).toBe(2)
    expect(await loadCurrencies(database, null)).toEqual([
      { quote: 'USD', firstDate: '2026-01-05', lastDate: '2026-01-05' },
    ])
  })

  it('returns nothing for an empty table', async () => {
    expect(await loadCurrencies(database, null)).toEqual([])
  })
})
