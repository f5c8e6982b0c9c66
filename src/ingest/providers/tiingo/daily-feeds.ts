import { type DecimalText, decimal, decimalText } from '../../../core/decimal.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import type { IsoDate } from '../../../core/time.js'
import type { DailyPrice } from '../../../domains/prices/model.js'
import type { ActionRow, DividendRow } from '../../../domains/stocks/model.js'
import { type JsonObject, textCell } from '../../bodies/json/json-body.js'
import { readConsistentPrice, readSharePrice, readShareVolume } from '../../bodies/price-cells.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { type Feed, type FeedRequest, quoted } from '../../feed.js'
import { dailyRows } from './daily-body.js'

const KEY = 'TIINGO_API_KEY'

export const TIINGO_PRICES_FEED = 'tiingo-prices'
export const TIINGO_SPLITS_FEED = 'tiingo-splits'
export const TIINGO_DIVIDENDS_FEED = 'tiingo-dividends'

/** The free plan allows 50 requests an hour. When a limit is used up, requests are possible again in the next hour. */
const RATE: RequestRate = { provider: PROVIDERS.tiingo.id, pauseMs: 72_000, blockMs: 3_600_000 }

/** Markets of the United States, whose prices Tiingo states in USD. */
export const TIINGO_MICS = ['XNAS', 'XNYS', 'ARCX', 'XASE', 'BATS'] as const

const USD = 'USD'

/** A listing whose days are requested. */
export interface TiingoListing {
  readonly assetId: number
  readonly instrumentId: number
  readonly ticker: string
  /** First requested day. */
  readonly from: IsoDate
  /** Days that another source stated: its splits and dividends stay. */
  readonly statedElsewhere: {
    readonly splits: ReadonlySet<IsoDate>
    readonly dividends: ReadonlySet<IsoDate>
  }
}

/** The days of a listing since `from`. Tiingo writes share classes with a hyphen, e.g. BRK-B. */
function requestOf({ ticker, from }: TiingoListing): FeedRequest {
  const path = encodeURIComponent(ticker.replaceAll(/[./]/g, '-').toLowerCase())
  return {
    url: `https://api.tiingo.com/tiingo/daily/${path}/prices?startDate=${from}&format=json`,
    headers: { accept: 'application/json', authorization: `Token ${KEY}` },
    rate: RATE,
  }
}

const FACTS = {
  provider: PROVIDERS.tiingo,
  cadence: 'each evening in New York; needs TIINGO_API_KEY',
  keyVariable: KEY,
} as const

/** Prices as traded. Tiingo's own adjusted prices change with each new action and are not read. */
export function tiingoPrices(listing: TiingoListing): Feed<DailyPrice> {
  const { instrumentId } = listing
  const source = PROVIDERS.tiingo.id
  return {
    ...FACTS,
    id: TIINGO_PRICES_FEED,
    dataset: 'prices',
    description: 'Daily prices of stocks and ETFs of the United States',
    request: () => requestOf(listing),
    parse: (body, context) =>
      dailyRows(body, context, ({ date, cells }) => readPrices(cells, { instrumentId, date, source })),
  }
}

function readPrices(
  cells: JsonObject,
  key: Pick<DailyPrice, 'instrumentId' | 'date' | 'source'>,
): Read<DailyPrice> {
  const optional = (name: string, read: (name: string, cell: string) => Read<DecimalText>) => {
    const cell = textCell(cells, name)
    return cell === '' ? { value: null } : read(name, cell)
  }
  const prices = readAll({
    open: optional('open', readSharePrice),
    high: optional('high', readSharePrice),
    low: optional('low', readSharePrice),
    close: readSharePrice('close', textCell(cells, 'close')),
    volume: optional('volume', readShareVolume),
  })
  return readOn(prices, (found) => readConsistentPrice({ ...key, ...found, currency: USD }))
}

/** Splits: `splitFactor` of a day is the number of shares after the split per share before it, on its ex-date. */
export function tiingoSplits(listing: TiingoListing): Feed<ActionRow> {
  const { assetId, statedElsewhere } = listing
  return {
    ...FACTS,
    id: TIINGO_SPLITS_FEED,
    dataset: 'corporate_actions',
    description: 'Splits of stocks and ETFs of the United States',
    request: () => requestOf(listing),
    parse: (body, context) =>
      dailyRows(body, context, ({ date, cells }) =>
        statedElsewhere.splits.has(date) ? null : readSplit(cells, assetId, date),
      ),
  }
}

function readSplit(cells: JsonObject, assetId: number, exDate: IsoDate): Read<ActionRow> | null {
  const cell = textCell(cells, 'splitFactor')
  const read = readDecimal(cell)
  const ratio = 'wrong' in read ? null : decimal(read.value)
  if (ratio?.eq(1)) return null
  if (ratio === null || ratio.lte(0)) return { wrong: `splitFactor ${quoted(cell)} must be above zero` }
  const actionType = ratio.gt(1) ? 'split' : 'reverse_split'
  const row = { assetId, exDate, actionType, ratio: decimalText(ratio), valueRatio: null, description: null }
  return { value: row } as { readonly value: ActionRow } // the type is one of the two above
}

/** Dividends: `divCash` of a day is the sum of all cash dividends per share with this ex-date. */
export function tiingoDividends(listing: TiingoListing): Feed<DividendRow> {
  const { assetId, statedElsewhere } = listing
  return {
    ...FACTS,
    id: TIINGO_DIVIDENDS_FEED,
    dataset: 'dividends',
    description: 'Dividends of stocks and ETFs of the United States',
    request: () => requestOf(listing),
    parse: (body, context) =>
      dailyRows(body, context, ({ date, cells }) =>
        statedElsewhere.dividends.has(date) ? null : readDividend(cells, assetId, date),
      ),
  }
}

function readDividend(cells: JsonObject, assetId: number, exDate: IsoDate): Read<DividendRow> | null {
  const cell = textCell(cells, 'divCash')
  const read = readDecimal(cell)
  const amount = 'wrong' in read ? null : decimal(read.value)
  if (amount?.isZero()) return null
  if (amount === null || amount.lt(0))
    return { wrong: `divCash ${quoted(cell)} must be an amount of 0 or more` }
  const row = { assetId, exDate, payDate: null, amount: decimalText(amount), currency: USD }
  return { value: { ...row, frequency: 'unspecified' } }
}
