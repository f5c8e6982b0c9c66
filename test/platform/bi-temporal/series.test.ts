import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAsOf } from '../../../src/core/as-of.js'
import { asOfStatement } from '../../../src/platform/bi-temporal/as-of-statement.js'
import { type SeriesTable, SOURCE_COLUMN } from '../../../src/platform/bi-temporal/series-table.js'
import {
  recordSeenKeys,
  TooManyWithdrawn,
} from '../../../src/platform/bi-temporal/withdraw/withdraw-unseen.js'
import { seriesWriter } from '../../../src/platform/bi-temporal/write-series.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

interface Reading {
  readonly station: string
  readonly day: number
  readonly value: string | null
}

const TABLE: SeriesTable<Reading> = {
  name: 'reading',
  key: [
    { name: 'station', type: 'text', of: ({ station }) => station },
    { name: 'day', type: 'int', sentAs: 'int', of: ({ day }) => day },
  ],
  values: [{ name: 'value', type: 'numeric', of: ({ value }) => value }],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
}

const T1 = new Date('2026-01-10T10:00:00Z')
const T2 = new Date('2026-01-11T10:00:00Z')
const T3 = new Date('2026-01-12T10:00:00Z')

const write = seriesWriter(TABLE)
const select = asOfStatement(
  'lacks newest per key',
  { station: 'text', day: 'int4', value: 'numeric?' },
  1,
  null,
  (known) => `select station, day, trim_scale(value) as value from reading as r
    where r.station = $1 and ${known('r')} and not r.is_withdrawn order by day`,
)

/** `north 1 2.5`; `-` is null. */
function reading(text: string): Reading {
  const [station = '', day, value = ''] = text.split(' ')
  return { station, day: Number(day), value: value === '-' ? null : value }
}

describe.each(availableDatabases())('a bi-temporal series on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'empty')
    await database.script(`
      create table reading (station text not null, day int not null, value numeric, source text not null,
        is_withdrawn boolean not null default false, known_from timestamptz(3) not null, known_to timestamptz(3),
        primary key (station, day, known_from));
      create unique index on reading (station, day) where known_to is null`)
  })
  afterAll(() => database?.close())
  beforeEach(() => database.script('delete from reading'))

  const run = (knownAt: Date, ...texts: readonly string[]) =>
    database.transaction((tx) => write(tx, texts.map(reading), { knownAt, source: 'x' }))
  /** A run whose body is complete. */
  const runWhole = (knownAt: Date, ...texts: readonly string[]) =>
    database.transaction(async (tx) => {
      const known = { knownAt, source: 'x' }
      const seen = await recordSeenKeys(tx, TABLE, ['station'])
      await seen.note(texts.map(reading))
      return { ...(await write(tx, texts.map(reading), known)), withdrawn: await seen.withdraw(known) }
    })
  const values = async (asOf: Date | null, station = 'north') =>
    (await select(database, [station], createAsOf(asOf))).map(({ day, value }) => `${day} ${value}`)

  it('treats null as a value like any other', async () => {
    await run(T1, 'north 1 -', 'north 2 5')
    expect(await run(T2, 'north 1 -', 'north 2 -')).toEqual({ added: 0, revised: 1, unchanged: 1 })
    expect(await values(null)).toEqual(['1 null', '2 null'])
    expect(await values(T1)).toEqual(['1 null', '2 5'])
  })

  it('withdraws rows that a complete body lacks, and still has them as of before', async () => {
    await runWhole(T1, 'north 1 1', 'north 2 2', 'south 1 9')
    expect(await runWhole(T2, 'north 2 2')).toEqual({ added: 0, revised: 0, unchanged: 1, withdrawn: 1 })
    expect(await values(null)).toEqual(['2 2'])
    expect(await values(T1)).toEqual(['1 1', '2 2'])
    expect(await values(null, 'south')).toEqual(['1 9'])
  })

  it('withdraws a row once, and restores it when it is published again, even if the clock went back', async () => {
    await runWhole(T1, 'north 1 1', 'north 2 2')
    expect(await runWhole(T3, 'north 2 2')).toMatchObject({ withdrawn: 1 })
    expect(await runWhole(T3, 'north 2 2')).toMatchObject({ withdrawn: 0, unchanged: 1 })
    expect(await runWhole(T2, 'north 1 1', 'north 2 2')).toMatchObject({ added: 0, revised: 1, unchanged: 1 })
    expect(await values(null)).toEqual(['1 1', '2 2'])
    expect(await values(T3)).toEqual(['2 2'])
    expect(await values(T2)).toEqual(['1 1', '2 2'])
    expect(await database.rows('select 1 from reading where known_to <= known_from')).toEqual([])
  })

  it('treats a body that lacks more than a tenth as cut off, and changes nothing', async () => {
    const all = Array.from({ length: 300 }, (_, day) => `north ${day} 1`)
    await runWhole(T1, ...all)
    await expect(runWhole(T2, ...all.slice(0, 270))).rejects.toThrow(TooManyWithdrawn)
    expect(await values(null)).toHaveLength(300)
    expect(await runWhole(T2, ...all.slice(0, 280))).toMatchObject({ withdrawn: 20 })
  })
})
