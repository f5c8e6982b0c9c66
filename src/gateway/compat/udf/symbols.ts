import { calendarByCode } from '../../../core/calendars/calendars.js'
import { VENUES } from '../../../core/consensus/venue-symbols.js'
import { invalid } from '../../../core/errors.js'
import { isForexCurrency } from '../../../domains/forex/model.js'
import type { CompatBody, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { CONSENSUS, ECB, parseUdfSymbol, type UdfSymbol, unknownSymbol } from './udf-symbol.js'

/** Longer resolutions are built by the client. */
export const RESOLUTIONS = { crypto: ['60', '120', '240', '1D', '1W', '1M'], others: ['1D', '1W', '1M'] }

interface AssetMatch {
  readonly asset_id: number
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: 'crypto' | 'stock' | 'etf' | 'commodity'
}

interface Currency {
  readonly currency: string
  readonly name: string | null
}

/** A period in which a security has a ticker. */
interface TickerPeriod {
  readonly name: string
  readonly mic: string | null
  readonly asset_class: string | null
  readonly valid_to: string | null
}

/** How UDF names a kind of asset. */
const TYPES = { crypto: 'crypto', stock: 'stock', etf: 'fund', forex: 'forex' } as const

const matchesOf = (answer: unknown) => (answer as { readonly data: readonly AssetMatch[] }).data
const euro: Currency = { currency: 'EUR', name: 'Euro' }
const currenciesOf = (answer: unknown) => [euro, ...(answer as { readonly data: readonly Currency[] }).data]

export function translateSymbol({ query }: CompatRequest): TranslatedCall {
  const text = query.get('symbol') ?? ''
  if (text === '') throw invalid({ field: 'symbol', message: 'is required' })
  const symbol = parseUdfSymbol(text)
  if (symbol === null || symbol.kind === 'crypto') return findAsset(text, symbol)
  return symbol.kind === 'forex' ? findPair(text, symbol) : findListing(text, symbol)
}

/** The asset whose ticker or slug is the name; without a prefix of any class. */
function findAsset(text: string, symbol: Extract<UdfSymbol, { kind: 'crypto' }> | null): TranslatedCall {
  const name = symbol?.asset ?? text.toLowerCase()
  return {
    operation: 'asset_search',
    args: { q: name, limit: '100', ...(symbol === null ? {} : { asset_class: 'crypto' }) },
    toBody: (answer) => {
      const match = matchesOf(answer).find(
        ({ slug, ticker, asset_class }) =>
          asset_class !== 'commodity' && (slug === name || ticker.toLowerCase() === name),
      )
      if (match === undefined) throw unknownSymbol(text)
      return jsonBody(infoOf(rowOf(match, symbol?.exchange?.toUpperCase() ?? CONSENSUS)))
    },
  }
}

function findPair(text: string, { base, quote }: Extract<UdfSymbol, { kind: 'forex' }>): TranslatedCall {
  return {
    operation: 'forex_currencies',
    args: {},
    toBody: (answer) => {
      const row = pairsOf(currenciesOf(answer)).find(({ symbol }) => symbol === `${base}${quote}`)
      if (row === undefined) throw unknownSymbol(text)
      return jsonBody(infoOf(row))
    },
  }
}

function findListing(text: string, symbol: Extract<UdfSymbol, { ticker: string }>): TranslatedCall {
  const { ticker, mic, adjust } = symbol
  return {
    operation: 'symbol',
    args: { ticker, ...(mic === null ? {} : { mic }) },
    toBody: (answer) => {
      const period = (answer as { readonly data: readonly TickerPeriod[] }).data.find(
        ({ asset_class, valid_to }) =>
          valid_to === null &&
          (mic === null ? asset_class === symbol.kind : asset_class === 'stock' || asset_class === 'etf'),
      )
      if (period === undefined) throw unknownSymbol(text)
      const kind = period.asset_class === 'etf' ? 'etf' : 'stock'
      const market = mic ?? kind.toUpperCase()
      const options = [
        ...(mic !== null && kind === 'etf' ? ['etf'] : []),
        ...(adjust === 'none' ? [] : [adjust]),
      ]
      return jsonBody({
        ...infoOf({
          symbol: ticker,
          ticker: [market, ticker, ...options].join(':'),
          description: period.name,
          exchange: period.mic ?? '',
          type: TYPES[kind],
        }),
        ...sessionOf(period.mic),
      })
    },
  }
}

function sessionOf(mic: string | null) {
  const calendar = mic === null ? undefined : calendarByCode(mic)
  const hours = calendar?.hours?.at(-1)
  if (calendar === undefined || hours === undefined) return {}
  const session = `${hours.opens}-${hours.closes}`.replaceAll(':', '')
  return { session, timezone: calendar.timeZone }
}

/** A symbol as the search lists it. */
interface SymbolRow {
  readonly symbol: string
  /** Names the symbol in all other requests. */
  readonly ticker: string
  readonly description: string
  readonly exchange: string
  readonly type: (typeof TYPES)[keyof typeof TYPES]
}

function rowOf({ asset_id, slug, ticker, name, asset_class }: AssetMatch, exchange: string): SymbolRow {
  const kind = asset_class === 'stock' || asset_class === 'etf' ? asset_class : 'crypto'
  const isCrypto = kind === 'crypto'
  return {
    symbol: ticker,
    ticker: isCrypto ? `${exchange}:${slug}:${asset_id}` : `${kind.toUpperCase()}:${ticker}`,
    description: name,
    exchange: isCrypto ? exchange : '',
    type: TYPES[kind],
  }
}

function infoOf({ symbol, ticker, description, exchange, type }: SymbolRow) {
  const isCrypto = type === TYPES.crypto
  const hasCloses = exchange === CONSENSUS || type === TYPES.forex
  return {
    name: symbol,
    ticker,
    description,
    type,
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange,
    listed_exchange: exchange,
    minmov: 1,
    pricescale: SCALES[type],
    // The step of a price in force up to the price that follows it.
    ...(isCrypto ? { variable_tick_size: '0.00000001 0.001 0.000001 0.1 0.0001 10 0.01' } : {}),
    has_intraday: isCrypto,
    ...(isCrypto ? { intraday_multipliers: ['60'] } : {}),
    has_daily: true,
    has_weekly_and_monthly: false,
    visible_plots_set: hasCloses ? 'c' : 'ohlcv',
    supported_resolutions: isCrypto ? RESOLUTIONS.crypto : RESOLUTIONS.others,
    data_status: 'endofday',
  }
}

const SCALES = { crypto: 100_000_000, stock: 100, fund: 100, forex: 100_000 } as const

/** Every pair of two currencies. */
function pairsOf(currencies: readonly Currency[]): readonly SymbolRow[] {
  return currencies.flatMap((base) =>
    currencies.flatMap((quote) => {
      if (base === quote) return []
      const symbol = `${base.currency}${quote.currency}`
      return [
        {
          symbol,
          ticker: `${ECB}:${symbol}`,
          description: `${base.name ?? base.currency} / ${quote.name ?? quote.currency}`,
          exchange: ECB,
          type: TYPES.forex,
        },
      ]
    }),
  )
}

/** The filters `type` and `exchange` are values of /config. */
export function translateSymbolSearch({ query }: CompatRequest): TranslatedCall | CompatBody {
  const text = (query.get('query') ?? '').trim().slice(0, 200)
  const type = query.get('type') ?? ''
  const exchange = (query.get('exchange') ?? '').toUpperCase()
  const wanted = query.get('limit') ?? ''
  const limit = /^\d{1,6}$/.test(wanted) ? Math.min(Number(wanted), MAX_ROWS) : DEFAULT_ROWS
  const toBody = (rows: readonly SymbolRow[]) =>
    jsonBody(rows.slice(0, limit).map((row) => ({ ...row, full_name: row.ticker })))
  if (text === '' || !FILTERS.exchanges.some(({ value }) => value === exchange)) return toBody([])
  if (type === TYPES.forex || exchange === ECB || isPair(text)) return searchPairs(text, toBody)
  const assetClass = exchange === '' ? CLASSES[type] : 'crypto'
  return {
    operation: 'asset_search',
    args: {
      q: text,
      limit: String(MAX_ROWS),
      ...(assetClass === undefined ? {} : { asset_class: assetClass }),
    },
    toBody: (answer) =>
      toBody(
        matchesOf(answer)
          .filter(({ asset_class }) => asset_class !== 'commodity')
          .map((match) => rowOf(match, exchange || CONSENSUS)),
      ),
  }
}

const DEFAULT_ROWS = 30
const MAX_ROWS = 100
const CLASSES: Readonly<Record<string, string>> = { crypto: 'crypto', stock: 'stock', fund: 'etf' }
const lettersOf = (text: string) => text.toUpperCase().replaceAll(/[^A-Z]/g, '')

/** EURUSD, eur/usd. */
function isPair(text: string): boolean {
  const letters = lettersOf(text)
  return letters.length === 6 && isForexCurrency(letters.slice(0, 3)) && isForexCurrency(letters.slice(3))
}

function searchPairs(text: string, toBody: (rows: readonly SymbolRow[]) => CompatBody): TranslatedCall {
  const letters = lettersOf(text)
  return {
    operation: 'forex_currencies',
    args: {},
    toBody: (answer) =>
      toBody(pairsOf(currenciesOf(answer)).filter(({ symbol }) => symbol.startsWith(letters))),
  }
}

/** The values of the filters of a search. */
export const FILTERS = {
  exchanges: [
    { value: '', name: 'All', desc: 'All sources' },
    { value: CONSENSUS, name: 'Consensus', desc: 'Price of all exchanges, weighted by volume' },
    ...VENUES.map((venue) => ({ value: venue.toUpperCase(), name: venue, desc: `Prices of ${venue}` })),
    { value: ECB, name: 'ECB', desc: 'Euro reference rates' },
  ],
  symbols_types: [
    { name: 'All', value: '' },
    { name: 'Crypto', value: TYPES.crypto },
    { name: 'Stocks', value: TYPES.stock },
    { name: 'ETFs', value: TYPES.etf },
    { name: 'Currencies', value: TYPES.forex },
  ],
}
