import { createAsOf } from '../../../src/core/as-of.js'
import { toIsoDate } from '../../../src/core/time.js'
import { loadCurrencies, loadRates } from '../../../src/domains/forex/store.js'
import { loadCandleInputs } from '../../../src/domains/market/inputs-store.js'
import { type Timeframe, WINDOW_MS } from '../../../src/domains/market/model.js'
import { loadLatestFigures, loadStoredCandles } from '../../../src/domains/market/series-store.js'
import type { Sql } from '../../../src/platform/database/database.js'
import { between, chooseAny, consecutive, expect, type ReadPath } from './read-path.js'
import {
  ASSETS_PER_READ,
  CANDLES_PER_READ,
  CURRENCIES,
  currencyCode,
  DAY_MS,
  END,
  HOUR_MS,
  type Scale,
} from './scale.js'

const FOREX_DAYS = 30

/** Days of candles that a list of assets shows for each asset. At the smallest size a series has 21. */
const NESTED_DAYS = 20

/** Some hours after the end of the read range, when revisions of the last day are not known yet. */
const KNOWN_AFTER_MS = 12 * HOUR_MS

interface Windows {
  readonly assetIds: readonly number[]
  readonly timeframe: Timeframe
  readonly count: number
  /** Number of windows after the newest read window. */
  readonly newer: number
}

async function readSeries(sql: Sql, { assetIds, timeframe, count, newer }: Windows, isAsOf: boolean) {
  const end = new Date(END.getTime() - newer * WINDOW_MS[timeframe])
  const first = new Date(end.getTime() - count * WINDOW_MS[timeframe])
  const asOf = createAsOf(isAsOf ? new Date(end.getTime() + KNOWN_AFTER_MS) : null)
  const found = await loadStoredCandles(sql, assetIds, { timeframe, first, end, asOf })
  for (const candles of found.values()) expect('candles', candles.length, count)
  expect('series', found.size, assetIds.length)
}

/** The newest windows, or any others, of any asset. */
function someHours({ series, hours }: Scale): Windows {
  const newer = between(0, hours - CANDLES_PER_READ)
  return { assetIds: [between(1, series)], timeframe: '1h', count: CANDLES_PER_READ, newer }
}

async function readForex(sql: Sql, { forexDays }: Scale, isAsOf: boolean): Promise<void> {
  const last = new Date(END.getTime() - between(1, forexDays - FOREX_DAYS) * DAY_MS)
  const from = new Date(last.getTime() - (FOREX_DAYS - 1) * DAY_MS)
  const quote = currencyCode(between(0, CURRENCIES - 1))
  const asOf = createAsOf(isAsOf ? new Date(last.getTime() + DAY_MS) : null)
  const found = await loadRates(sql, { quotes: [quote], from: toIsoDate(from), to: toIsoDate(last), asOf })
  expect('rates', found.get(quote)?.length, FOREX_DAYS)
}

export const SERIES_PATHS: readonly ReadPath[] = [
  { name: 'candles: 500', read: (sql, scale) => readSeries(sql, someHours(scale), false) },
  { name: 'candles: 500 as of', read: (sql, scale) => readSeries(sql, someHours(scale), true) },
  {
    name: 'candles: 20 days of 20',
    read: (sql, { series }) => {
      const assetIds = consecutive(ASSETS_PER_READ, series)
      return readSeries(sql, { assetIds, timeframe: '1d', count: NESTED_DAYS, newer: 0 }, false)
    },
  },
  {
    name: 'candles: inputs of one',
    read: async (sql, { series, hours }) => {
      const ts = new Date(END.getTime() - between(1, hours) * HOUR_MS)
      const assetId = between(1, series)
      const found = await loadCandleInputs(sql, [assetId], { timeframe: '1h', ts, asOf: null })
      expect('sources', found.get(assetId)?.sources.length, 4)
    },
  },
  {
    name: 'prices of 20',
    read: async (sql, { series }) => {
      const found = await loadLatestFigures(sql, consecutive(ASSETS_PER_READ, series), END)
      const newest = [...found.values()].filter(({ candle }) => candle?.endsAt.getTime() === END.getTime())
      expect('newest candles', newest.length, ASSETS_PER_READ)
    },
  },
  { name: 'forex: 30 days', read: (sql, scale) => readForex(sql, scale, false) },
  { name: 'forex: 30 days as of', read: (sql, scale) => readForex(sql, scale, true) },
  {
    name: 'forex: currencies',
    read: async (sql) => {
      const asOf = createAsOf(chooseAny([null, END]))
      expect('currencies', (await loadCurrencies(sql, asOf)).length, CURRENCIES)
    },
  },
]
