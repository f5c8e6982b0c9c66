import { createAsOf } from '../../../src/core/as-of.js'
import { toIsoDate } from '../../../src/core/time.js'
import { loadSeriesPages } from '../../../src/domains/macro/series/series-store.js'
import type { Sql } from '../../../src/platform/database/database.js'
import { between, consecutive, expect, type ReadPath } from './read-path.js'
import { DAY_MS, END, MACRO_DAYS, MACRO_SERIES_PER_READ, type Scale } from './scale.js'

const PAGE = 100
const NESTED = 20

interface Pages {
  readonly seriesIds: readonly number[]
  readonly limit: number
  readonly isAsOf: boolean
}

/** Any page of each series, and the number of all observations. */
async function read(sql: Sql, { seriesIds, limit, isAsOf }: Pages): Promise<void> {
  const first = toIsoDate(new Date(END.getTime() - MACRO_DAYS * DAY_MS))
  const keys = seriesIds.map((id) => ({
    provider: 'boj' as const,
    dataset: 'BENCH',
    seriesKey: `S${id}`,
    first,
    last: toIsoDate(END),
    limit,
    offset: between(0, MACRO_DAYS - limit),
  }))
  const pages = await loadSeriesPages(sql, keys, {
    asOf: createAsOf(isAsOf ? END : null),
    hasVintages: false,
  })
  for (const page of pages) {
    expect('total', page?.total, MACRO_DAYS)
    expect('observations', page?.observations.length, limit)
  }
}

const someSeries = ({ macroSeries }: Scale) => [between(1, macroSeries)]

export const MACRO_PATHS: readonly ReadPath[] = [
  {
    name: 'macro: 100 of a series',
    read: (sql, scale) => read(sql, { seriesIds: someSeries(scale), limit: PAGE, isAsOf: false }),
  },
  {
    name: 'macro: 100 of a series as of',
    read: (sql, scale) => read(sql, { seriesIds: someSeries(scale), limit: PAGE, isAsOf: true }),
  },
  {
    name: 'macro: 20 of 20 series',
    read: (sql, { macroSeries }) => {
      const seriesIds = consecutive(MACRO_SERIES_PER_READ, macroSeries)
      return read(sql, { seriesIds, limit: NESTED, isAsOf: false })
    },
  },
]
