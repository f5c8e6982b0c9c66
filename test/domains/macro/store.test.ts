import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAsOf } from '../../../src/core/as-of.js'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { type IsoDate, parsePeriod } from '../../../src/core/time.js'
import type { MacroSeries } from '../../../src/domains/macro/model.js'
import {
  loadRevisions,
  loadSeriesPages,
  type SeriesPageKey,
} from '../../../src/domains/macro/series/series-store.js'
import { MacroWriter, markDiscontinued, removeSeries } from '../../../src/domains/macro/store.js'
import { TooManyWithdrawn } from '../../../src/platform/bi-temporal/withdraw/withdraw-unseen.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const NOW_KNOWN = { asOf: null, hasVintages: false }
const T1 = new Date('2026-01-10T10:00:00.000Z')
const T2 = new Date('2026-02-10T10:00:00.000Z')

function seriesOf(seriesKey: string, facts: Partial<MacroSeries> = {}): MacroSeries {
  return {
    provider: 'bis',
    dataset: 'WS_TC',
    seriesKey,
    country: seriesKey.split('.')[1] ?? null,
    unit: '%_GDP',
    frequency: 'quarterly',
    description: null,
    isHeadline: true,
    ...facts,
  }
}

const US = seriesOf('Q.US.P')
const FR = seriesOf('Q.FR.P')

function start(text: string): IsoDate {
  return parsePeriod(text)?.start ?? expect.fail(`${text} is no period`)
}

const page = (series: MacroSeries, rest: Partial<SeriesPageKey> = {}): SeriesPageKey => ({
  ...series,
  first: start('1900'),
  last: start('2200'),
  limit: 100,
  offset: 0,
  ...rest,
})

describe.each(availableDatabases())('the macro store on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
  })
  afterAll(() => database?.close())
  beforeEach(() => database.script('truncate macro_series, macro_observation restart identity'))

  /** A run of `2024-Q1 5` rows; `-` is null, `?` a value that could not be read. */
  const run = (knownAt: Date, texts: readonly string[], { series = US, isOfWholeSeries = true } = {}) =>
    database.transaction(async (tx) => {
      const writer = new MacroWriter(tx)
      const known = { knownAt, source: 'bis' }
      const rows = texts.map((text) => {
        const [period = '', value = '-'] = text.split(' ')
        const number = value === '-' || value === '?' ? null : decimalText(decimal(value))
        const row = { series, periodStart: start(period), value: number, isOfWholeSeries }
        return value === '?' ? { ...row, isUnread: true as const } : row
      })
      return { ...(await writer.write(rows, known)), withdrawn: await writer.withdrawUnlisted(known) }
    })
  const values = async (key: SeriesPageKey, asOf: Date | null = null) => {
    const [found] = await loadSeriesPages(database, [key], { asOf: createAsOf(asOf), hasVintages: false })
    return found?.observations.map(({ periodStart, value }) => `${periodStart} ${value}`)
  }

  it('writes new values once, keeps revised and very small ones', async () => {
    const rows = ['2024-Q1 140.3', '2024-Q2 4.7E-13', '2024-Q3 -']
    expect(await run(T1, rows)).toEqual({ added: 3, revised: 0, unchanged: 0, alsoChanged: 0, withdrawn: 0 })
    expect(await run(T2, rows)).toEqual({ added: 0, revised: 0, unchanged: 3, alsoChanged: 0, withdrawn: 0 })
    expect(await run(T2, ['2024-Q1 141', '2024-Q2 4.7E-13', '2024-Q3 -'])).toMatchObject({ revised: 1 })
    expect(await values(page(US))).toEqual(['2024-01-01 141', '2024-04-01 4.7e-13', '2024-07-01 null'])
    expect(await values(page(US), T1)).toEqual(['2024-01-01 140.3', '2024-04-01 4.7e-13', '2024-07-01 null'])
    expect(await values(page(US), new Date(T1.getTime() - 1))).toEqual([])
  })

  it('pages within a range, and counts the range', async () => {
    await run(T1, ['2023-Q4 1', '2024-Q1 2', '2024-Q2 3', '2024-Q3 4'])
    await run(T1, ['2024-Q1 9'], { series: FR })
    const range = { first: start('2024-Q1'), last: start('2024-Q3') }
    const [second, french, missing] = await loadSeriesPages(
      database,
      [
        page(US, { ...range, limit: 2, offset: 2 }),
        page(FR, { ...range, offset: 50 }),
        page(seriesOf('Q.DE.P')),
      ],
      NOW_KNOWN,
    )
    expect(second).toMatchObject({ total: 3, observations: [{ periodStart: '2024-07-01', value: 4 }] })
    expect(french).toMatchObject({ total: 1, observations: [], series: { country: 'FR', unit: '%_GDP' } })
    expect(missing).toBeNull()
  })

  it('withdraws periods that a whole series no longer lists, and none outside a part', async () => {
    await run(T1, ['2024-Q1 1', '2024-Q2 2'])
    expect(await run(T2, ['2024-Q2 2'], { isOfWholeSeries: false })).toMatchObject({ withdrawn: 0 })
    expect(await run(T2, ['2024-Q2 2'])).toMatchObject({ withdrawn: 1 })
    expect(await values(page(US))).toEqual(['2024-04-01 2'])
    expect(await values(page(US), T1)).toEqual(['2024-01-01 1', '2024-04-01 2'])
    const [revisions] = await loadRevisions(
      database.prisma,
      [{ seriesId: 1, periodStart: start('2024-Q1') }],
      null,
    )
    expect(revisions?.map(({ value }) => value?.toNumber() ?? null)).toEqual([1, null])
    expect(revisions).toMatchObject([
      { isWithdrawn: false, knownFrom: T1, knownTo: T2 },
      { isWithdrawn: true, knownFrom: T2, knownTo: null },
    ])
  })

  it('shows every version of the observations until an instant, with the time during which it held', async () => {
    await run(T1, ['2024-Q1 1', '2024-Q2 2'])
    await run(T2, ['2024-Q1 3'])
    const versions = async (asOf: Date | null, rest: Partial<SeriesPageKey> = {}) => {
      const [found] = await loadSeriesPages(database, [page(US, rest)], {
        asOf: createAsOf(asOf),
        hasVintages: true,
      })
      return found
    }
    const first = [
      { periodStart: '2024-01-01', value: 1, knownFrom: T1, knownTo: T2 },
      { periodStart: '2024-01-01', value: 3, knownFrom: T2, knownTo: null },
    ]
    // The second quarter was withdrawn at T2.
    const withdrawn = { periodStart: '2024-04-01', value: 2, knownFrom: T1, knownTo: T2 }
    expect(await versions(null)).toMatchObject({ total: 3, observations: [...first, withdrawn] })
    expect(await versions(null, { limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      observations: [first[1]],
    })
    expect(await versions(T1)).toMatchObject({
      total: 2,
      observations: [
        { ...first[0], knownTo: null },
        { ...withdrawn, knownTo: null },
      ],
    })
  })

  it('keeps a listed period whose value could not be read', async () => {
    await run(T1, ['2024-Q1 1', '2024-Q2 2', '2024-Q3 3'])
    expect(await run(T2, ['2024-Q1 1', '2024-Q2 ?', '2024-Q4 ?'])).toEqual({
      added: 0,
      revised: 0,
      unchanged: 1,
      alsoChanged: 0,
      withdrawn: 1,
    })
    expect(await values(page(US))).toEqual(['2024-01-01 1', '2024-04-01 2'])
  })

  it('withdraws nothing by a body that was cut off', async () => {
    const quarters = Array.from({ length: 40 }, (_, at) => `${1990 + Math.floor(at / 4)}-Q${(at % 4) + 1} 1`)
    await run(T1, quarters)
    await expect(run(T2, quarters.slice(0, 5))).rejects.toThrow(TooManyWithdrawn)
    expect(await values(page(US))).toHaveLength(40)
  })

  it('keeps facts of a series that a later body omits, and counts changed ones', async () => {
    await run(T1, ['2024-Q1 1'], { series: seriesOf('Q.US.P', { description: 'Credit' }) })
    const silent = seriesOf('Q.US.P', { unit: null })
    expect(await run(T2, ['2024-Q1 1'], { series: silent })).toMatchObject({ revised: 0, unchanged: 1 })
    const [kept] = await loadSeriesPages(database, [page(US)], NOW_KNOWN)
    expect(kept?.series).toMatchObject({ unit: '%_GDP', description: 'Credit' })
    expect(await run(T2, ['2024-Q1 1'], { series: seriesOf('Q.US.P', { unit: '%' }) })).toMatchObject({
      revised: 0,
      unchanged: 1,
      alsoChanged: 1,
    })
  })

  it('marks a series that ended years before the others of its dataset', async () => {
    await run(T1, ['2020-Q1 1'])
    await run(T1, ['2024-Q1 1'], { series: FR })
    expect(await database.transaction((tx) => markDiscontinued(tx, 'bis'))).toBe(1)
    expect(await database.transaction((tx) => markDiscontinued(tx, 'bis'))).toBe(0)
    const pages = await loadSeriesPages(database, [page(US), page(FR)], NOW_KNOWN)
    expect(pages.map((found) => found?.series.isDiscontinued)).toEqual([true, false])
  })

  it('removes the rows of a source with their series', async () => {
    await run(T1, ['2024-Q1 1', '2024-Q2 1'])
    expect(await database.transaction((tx) => removeSeries(tx, 'bis', 'seed'))).toBe(0)
    expect(await database.transaction((tx) => removeSeries(tx, 'bis', 'bis'))).toBe(2)
    expect(await loadSeriesPages(database, [page(US)], NOW_KNOWN)).toEqual([null])
    expect(await database.rows('select 1 from macro_observation')).toEqual([])
  })
})
