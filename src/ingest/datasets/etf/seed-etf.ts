import { z } from 'zod'
import { Decimal } from '../../../core/decimal.js'
import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import { fundProfileOf } from '../../../domains/etf/funds-model.js'
import type { EtfRow } from '../../../domains/etf/model.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import { rowsOfReport } from '../../bodies/etf/etf-report.js'
import { BrokenBody, type Feed, jsonOfBody, type ParseContext, type Parsed } from '../../feed.js'
import { parseEtfHoldingsFile } from '../../providers/operator/etf-holdings-file.js'
import { ETFS, STOCKS } from '../../providers/reference/assets.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { fundLevels } from './fund-levels.js'

/** The number of shares held. */
type StockStyle = 'american' | 'nasdaq' | 'world' | 'abroad'

/** The holdings of a fund by ticker: shares of stocks, or synthetic holdings of a kind. */
const STYLES: Readonly<Record<string, StockStyle | keyof typeof MADE_UP>> = {
  SPY: 'american',
  IVV: 'american',
  QQQ: 'nasdaq',
  VTI: 'american',
  SPUS: 'american',
  SPSK: 'sukuk',
  HLAL: 'american',
  ISWD: 'world',
  IWDA: 'world',
  VWCE: 'world',
  VUSA: 'american',
  GLD: 'gold',
  VOO: 'american',
  AGG: 'bond',
  IWM: 'small',
  EFA: 'abroad',
  DIA: 'american',
  ISUS: 'american',
  CSP1: 'american',
  EMIM: 'emerging',
}

interface SyntheticFund {
  readonly count: number
  readonly name: (at: number) => string
  readonly category: string
  /** Countries in turn. */
  readonly countries: readonly string[]
}

const company = (at: number) => `Synthetic Company ${at + 1}`

/** Kinds of holdings that the reference does not have. */
const MADE_UP = {
  sukuk: {
    count: 15,
    name: (at) => `Synthetic Sukuk ${2028 + (at % 8)} Series ${at + 1}`,
    category: 'debt',
    countries: ['SA', 'AE', 'MY', 'ID', 'QA'],
  },
  bond: {
    count: 20,
    name: (at) => `Synthetic Bond ${2028 + (at % 10)} Series ${at + 1}`,
    category: 'debt',
    countries: ['US'],
  },
  small: { count: 20, name: company, category: 'equity', countries: ['US'] },
  emerging: { count: 20, name: company, category: 'equity', countries: ['CN', 'IN', 'TW', 'KR', 'BR'] },
  gold: { count: 1, name: () => 'Gold bullion', category: 'commodity', countries: [''] },
} as const satisfies Readonly<Record<string, SyntheticFund>>

function madeUpOf(style: string | undefined): SyntheticFund | null {
  return style !== undefined && style in MADE_UP ? MADE_UP[style as keyof typeof MADE_UP] : null
}

/** Funds that hold no shares of banks. */
const SHARIAH = ['SPUS', 'HLAL', 'ISWD', 'ISUS']

/** The fund that holds a futures contract against its cash, which has a negative weight. */
const HEDGED = 'VTI'

const HEADER =
  'as_of,nav,nav_currency,shares_outstanding,net_assets_usd,name,ticker,mic,isin,figi,lei,weight,shares,market_value_usd,asset_category,country'

const Body = z.array(z.strictObject({ ticker: z.string(), table: z.string() }))

/** Synthetic holdings as tables of the operator's kind, read by the same parser. */
export const seedEtf: Feed<EtfRow> = {
  id: 'seed-etf',
  ...SEED_FEED,
  dataset: 'etf',
  description: 'Synthetic holdings of the ETFs of the reference',
  parse: parseTables,
}

/** The holdings of yesterday and of the end of the previous month. */
export function seedEtfBody(now: Date): Uint8Array {
  const yesterday = addDays(toIsoDate(now), -1)
  const monthEnd = addDays(`${yesterday.slice(0, 7)}-01` as IsoDate, -1) // a valid day of the calendar
  const bodies = [monthEnd, yesterday].flatMap((day) =>
    ETFS.flatMap((fund) => {
      const { ticker } = fund
      return STYLES[ticker] === undefined ? [] : [{ ticker, table: tableOf(fund, day) }]
    }),
  )
  return new TextEncoder().encode(JSON.stringify(bodies))
}

function* parseTables(body: Uint8Array, context: ParseContext): Generator<Parsed<EtfRow>> {
  const tables = Body.safeParse(jsonOfBody(body, 200))
  if (!tables.success) throw new BrokenBody('the body is not a list of tables')
  const quiet = { ...context, onRead: () => {} }
  for (const { ticker, table } of tables.data) {
    const fund = ETFS.find((one) => one.ticker === ticker)
    if (fund === undefined) throw new BrokenBody(`the ETF ${ticker} does not exist`)
    const bytes = new TextEncoder().encode(table)
    yield* rowsOfReport(parseEtfHoldingsFile(bytes, { ...fund, ...fundProfileOf(fund.slug) }, quiet))
  }
  context.onRead(1)
}

interface Line {
  readonly name: string
  readonly ticker: string
  readonly mic: string
  readonly isin: string
  readonly figi: string
  readonly lei: string
  readonly category: string
  readonly country: string
  /** Before the lines are scaled to a sum of 1. */
  readonly size: number
}

function tableOf(fund: InstrumentFacts, day: IsoDate): string {
  const { ticker } = fund
  const madeUp = madeUpOf(STYLES[ticker])
  const lines = (madeUp === null ? stockLines(fund) : linesOf(madeUp)).map((line) => moveSize(line, day))
  const { nav, units, assets } = fundLevels(fund, day)
  const cash = new Decimal(0.002 + 0.01 * noise(`${ticker} cash`)).toDecimalPlaces(6)
  const short = new Decimal(ticker === HEDGED ? '-0.003' : 0)
  const total = lines.reduce((sum, { size }) => sum + size, 0)
  const invested = new Decimal(1).minus(cash)
  const weights = lines.map(({ size }) => invested.times(size / total).toDecimalPlaces(6))
  // Cash takes the rounding difference and the other side of the contract.
  const money = new Decimal(1).minus(short).minus(Decimal.sum(...weights))
  const values = weights.map((weight) => assets.times(weight).toDecimalPlaces(2))
  const shortValue = assets.times(short).toDecimalPlaces(2)
  const moneyValue = assets.minus(shortValue).minus(Decimal.sum(...values))
  const front = [day, nav.toFixed(2), fund.currency, units, assets.toFixed(2)]
  const row = (line: Omit<Line, 'size'>, weight: Decimal, value: Decimal) => {
    const isCounted = line.category === 'equity'
    const shares = isCounted ? value.dividedBy(20 + 300 * noise(line.name)).toFixed(0) : ''
    const { name, ticker: symbol, mic, isin, figi, lei, category, country } = line
    const cells = [...front, `"${name}"`, symbol, mic, isin, figi, lei]
    return [...cells, weight.toFixed(), shares, value.toFixed(2), category, country].join()
  }
  return [
    HEADER,
    ...lines.map((line, at) => row(line, weights[at] ?? NONE, values[at] ?? NONE)),
    row({ ...NOTHING, name: 'US DOLLAR', ticker: 'USD', category: 'cash' }, money, moneyValue),
    ...(short.isZero()
      ? []
      : [row({ ...NOTHING, name: 'INDEX FUTURE', category: 'derivative' }, short, shortValue)]),
    '',
  ].join('\n')
}

/** Moves a holding by up to five per cent, so that the weights of two reports differ. */
function moveSize(line: Line, day: IsoDate): Line {
  return { ...line, size: line.size * (0.95 + 0.1 * noise(`${line.name} ${day}`)) }
}

const NONE = new Decimal(0)

const NOTHING = { ticker: '', mic: '', isin: '', figi: '', lei: '', country: '' } as const

const COUNTRIES: Readonly<Record<string, string>> = {
  XNAS: 'US',
  XNYS: 'US',
  XETR: 'DE',
  XPAR: 'FR',
  XAMS: 'NL',
  XLON: 'GB',
  XSWX: 'CH',
  XTKS: 'JP',
}

function stockLines({ ticker }: InstrumentFacts): readonly Line[] {
  const style = STYLES[ticker]
  return STOCKS.filter(({ mic, currency, sectorGics }) => {
    if (SHARIAH.includes(ticker) && sectorGics === 'Financials') return false
    if (style === 'nasdaq') return mic === 'XNAS'
    if (style === 'abroad') return currency !== 'USD'
    return style === 'world' || currency === 'USD'
  }).map(({ name, ticker: symbol, mic, isin, figi, lei }) => ({
    name,
    ticker: symbol,
    mic: mic ?? '',
    isin: isin ?? '',
    figi: figi ?? '',
    lei: lei ?? '',
    category: 'equity',
    country: COUNTRIES[mic ?? ''] ?? '',
    size: 0.1 + noise(`size ${symbol}`) ** 2,
  }))
}

function linesOf({ count, name, category, countries }: SyntheticFund): readonly Line[] {
  return Array.from({ length: count }, (_, at) => ({
    ...NOTHING,
    name: name(at),
    category,
    country: countries[at % countries.length] ?? '',
    size: 0.5 + noise(`${category} ${name(at)}`),
  }))
}
