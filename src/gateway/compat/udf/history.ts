import { invalid } from '../../../core/errors.js'
import { toIsoDate } from '../../../core/time.js'
import type { CompatBody, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { parseUdfSymbol, type UdfSymbol, unknownSymbol } from './udf-symbol.js'

/** A bar. Times are seconds since 1970. */
export interface Bar {
  readonly time: number
  readonly close: number
  readonly open?: number | null
  readonly high?: number | null
  readonly low?: number | null
  readonly volume?: number | null
}

export interface BarRange {
  readonly from: number
  /** The last bar begins by this time. */
  readonly to: number
  /** How many bars are wanted up to `to`, whatever `from` is. */
  readonly countback: number | null
}

type Call = Pick<TranslatedCall, 'operation' | 'args'> & { toBars(answer: unknown): readonly Bar[] }

const DAY = 86_400
const MAX_BARS = 1000
const STEPS: Readonly<Record<string, { readonly timeframe: '1h' | '1d'; readonly seconds: number }>> = {
  60: { timeframe: '1h', seconds: 3600 },
  D: { timeframe: '1d', seconds: DAY },
  '1D': { timeframe: '1d', seconds: DAY },
}

/** No bar is older: the first block of Bitcoin, the first euro rates, shares since the epoch. */
const EARLIEST = { crypto: 1_230_940_800, forex: 915_408_000, stock: 0, etf: 0 } as const

/** Calendar days that surely have so many trading days. */
const daysFor = (bars: number) => Math.ceil(bars * 1.5) + 12

export function symbolOf(query: URLSearchParams): UdfSymbol {
  const text = query.get('symbol') ?? ''
  const symbol = parseUdfSymbol(text)
  if (symbol === null) throw unknownSymbol(text)
  return symbol
}

export function translateHistory({ query, now }: CompatRequest): TranslatedCall | CompatBody {
  const symbol = symbolOf(query)
  const resolution = query.get('resolution') ?? ''
  const step = STEPS[resolution]
  if (step === undefined || (symbol.kind !== 'crypto' && step.seconds < DAY))
    throw invalid({ field: 'resolution', message: 'must be 1D, or 60 for crypto assets' })
  const wanted = finishedBy(now, parseBarRange(query, now), symbol, step.seconds)
  const range = { ...wanted, from: Math.max(firstOf(wanted, symbol, step.seconds), EARLIEST[symbol.kind]) }
  if (range.from > range.to) return historyBody([], range, EARLIEST[symbol.kind])
  const { toBars, ...call } =
    symbol.kind === 'crypto' ? callCandles(symbol, range, step) : callDays(symbol, range)
  return { ...call, toBody: (answer) => historyBody(toBars(answer), range, EARLIEST[symbol.kind]) }
}

export function parseBarRange(query: URLSearchParams, now: Date): BarRange {
  const to = Math.min(secondsOf(query, 'to'), Math.floor(now.getTime() / 1000))
  const text = query.get('countback')
  if (text !== null && !/^\d{1,6}$/.test(text))
    throw invalid({ field: 'countback', message: 'must be a whole number' })
  const countback = Number(text ?? 0) === 0 ? null : Math.min(Number(text), MAX_BARS)
  return { from: countback === null ? secondsOf(query, 'from') : 0, to, countback }
}

function secondsOf(query: URLSearchParams, field: string): number {
  const text = query.get(field) ?? ''
  if (/^-?\d{1,11}$/.test(text)) return Number(text)
  throw invalid({ field, message: 'must be seconds since 1970' })
}

/** Candles of a window that has not ended do not exist. */
function finishedBy(now: Date, range: BarRange, { kind }: UdfSymbol, seconds: number): BarRange {
  const startOfWindow = Math.floor(now.getTime() / 1000 / seconds) * seconds
  return kind === 'crypto' ? { ...range, to: Math.min(range.to, startOfWindow - 1) } : range
}

/** The start of the range, at most MAX_BARS before its end. */
function firstOf({ from, to, countback }: BarRange, { kind }: UdfSymbol, seconds: number): number {
  const stepsFor = (bars: number) => (kind === 'crypto' ? bars - 1 : daysFor(bars))
  const last = Math.floor(to / seconds) * seconds
  if (countback !== null) return last - stepsFor(countback) * seconds
  return Math.max(Math.ceil(from / seconds) * seconds, last - stepsFor(MAX_BARS) * seconds)
}

interface ConsensusCandle {
  readonly ts: string
  readonly vwap_usd: number | null
  readonly volume_usd: number | null
}

type Figures<Name extends string> = { readonly [Each in Name]: number | null }

interface ExchangeCandle extends Figures<'open' | 'high' | 'low' | 'close' | 'volume'> {
  readonly ts: string
}

function callCandles(
  { exchange, asset }: Extract<UdfSymbol, { kind: 'crypto' }>,
  { from, to }: BarRange,
  { timeframe, seconds }: { readonly timeframe: string; readonly seconds: number },
): Call {
  const end = (Math.floor(to / seconds) + 1) * seconds
  const isoOf = (time: number) => new Date(time * 1000).toISOString()
  const limit = String(Math.min((end - from) / seconds, MAX_BARS))
  const windows = { id: asset, timeframe, from: isoOf(from), to: isoOf(end), limit }
  if (exchange !== null)
    return { operation: 'exchange_candles', args: { ...windows, exchange }, toBars: toExchangeBars }
  return { operation: 'ohlcv', args: windows, toBars: toConsensusBars }
}

/** The price of a consensus is that of a whole window: it has no first, highest or lowest price. */
function toConsensusBars(answer: unknown): readonly Bar[] {
  const { data } = answer as { readonly data: { readonly candles: readonly ConsensusCandle[] } }
  return data.candles.flatMap(({ ts, vwap_usd, volume_usd }) =>
    vwap_usd === null ? [] : [{ time: timeOf(ts), close: vwap_usd, volume: volume_usd }],
  )
}

function toExchangeBars(answer: unknown): readonly Bar[] {
  const { data } = answer as { readonly data: readonly ExchangeCandle[] }
  return data.flatMap(({ ts, close, open, high, low, volume }) =>
    close === null ? [] : [{ time: timeOf(ts), close, open, high, low, volume }],
  )
}

const dayOf = (time: number) => toIsoDate(new Date(time * 1000))
/** Whole seconds since 1970 of a day or an instant. */
export function timeOf(text: string): number {
  return Math.floor(Date.parse(text) / 1000)
}

function callDays(symbol: Exclude<UdfSymbol, { kind: 'crypto' }>, { from, to }: BarRange): Call {
  const days = { from: dayOf(from), to: dayOf(to) }
  if (symbol.kind === 'forex') return callForex(symbol, days)
  return callShares(symbol, days, Math.min(Math.floor((to - from) / DAY) + 1, MAX_BARS))
}

interface Days {
  readonly from: string
  readonly to: string
}

function callForex({ base, quote }: Extract<UdfSymbol, { kind: 'forex' }>, days: Days): Call {
  return {
    operation: 'forex_cross',
    args: { base, quote, ...days },
    toBars: (answer) =>
      (
        answer as { readonly data: { readonly rates: readonly { date: string; rate: number }[] } }
      ).data.rates.map(({ date, rate }) => ({ time: timeOf(date), close: rate })),
  }
}

interface SharePrice extends Figures<'open' | 'high' | 'low' | 'volume' | 'adjusted_close' | 'factor'> {
  readonly date: string
  readonly close: number
}

/** Adjusted bars have no volume, because it is known as traded only. */
function callShares(
  { kind, mic, ticker, adjust }: Extract<UdfSymbol, { ticker: string }>,
  days: Days,
  limit: number,
): Call {
  return {
    operation: kind === 'etf' ? 'etf_prices' : 'stock_prices',
    args: { ticker, adjust, ...days, limit: String(limit), ...(mic === null ? {} : { mic }) },
    toBars: (answer) =>
      (answer as { readonly data: readonly SharePrice[] }).data.map((day) => {
        const adjusted = (price: number | null) => (price === null ? null : price * (day.factor ?? 1))
        return {
          time: timeOf(day.date),
          close: day.adjusted_close ?? day.close,
          open: adjusted(day.open),
          high: adjusted(day.high),
          low: adjusted(day.low),
          volume: adjust === 'none' ? day.volume : null,
        }
      }),
  }
}

/** Figures that a bar lacks are left out of all bars: charts then draw closes. Without bars, the client goes on before the range. */
function historyBody(bars: readonly Bar[], { from, to, countback }: BarRange, earliest: number): CompatBody {
  const inRange = bars.filter(({ time }) => time <= to && (countback !== null || time >= from))
  const shown = countback === null ? inRange : inRange.slice(-countback)
  if (shown.length === 0) {
    const nextTime = Math.min(from, to) - 1
    return jsonBody({ s: 'no_data', ...(nextTime > earliest ? { nextTime } : {}) })
  }
  const all = (name: 'open' | 'high' | 'low' | 'volume') => {
    const values = shown.map((bar) => bar[name] ?? null)
    return values.includes(null) ? undefined : values
  }
  const prices = { o: all('open'), h: all('high'), l: all('low') }
  const hasRange = prices.o !== undefined && prices.h !== undefined && prices.l !== undefined
  return jsonBody({
    s: 'ok',
    t: shown.map(({ time }) => time),
    c: shown.map(({ close }) => close),
    ...(hasRange ? prices : {}),
    v: all('volume'),
  })
}
