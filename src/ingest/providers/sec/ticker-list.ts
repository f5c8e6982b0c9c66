import {
  type Cik,
  explainCik,
  explainTicker,
  parseCik,
  parseTicker,
  type Ticker,
} from '../../../core/identifiers.js'
import { isJsonObject, isList, type Json, shown } from '../../bodies/json/json-body.js'
import { BrokenBody } from '../../feed.js'

/** A line of the list: one ticker of a company. */
export interface TickerLine {
  readonly position: string
  readonly cik: Json | undefined
  readonly name: Json | undefined
  readonly ticker: Json | undefined
  readonly exchange: Json | undefined
}

/** A line that could be read. */
export interface ListedTicker {
  readonly cik: Cik
  readonly name: string
  readonly ticker: Ticker
}

/** The lines of a table with column names. */
export function listLines(value: Json): readonly TickerLine[] {
  const [fields, data] = isJsonObject(value) ? [value.get('fields'), value.get('data')] : []
  if (!isList(fields) || !isList(data))
    throw new BrokenBody('the body is not a table of companies; give company_tickers_exchange.json')
  const places = ['cik', 'name', 'ticker', 'exchange'].map((field) => fields.indexOf(field))
  if (places.includes(-1))
    throw new BrokenBody('the table lacks cik, name, ticker or exchange; give company_tickers_exchange.json')
  if (data.length === 0) throw new BrokenBody('the table of companies is empty')
  return data.map((row, at) => {
    const cells = isList(row) && row.length === fields.length ? row : []
    const [cik, name, ticker, exchange] = places.map((place) => cells[place])
    return { position: `entry ${at}`, cik, name, ticker, exchange }
  })
}

/** Longer than any company name. */
const MAX_NAME_LENGTH = 200

/** A name as it is stored; null if it is not usable. */
export function parseCompanyName(value: Json | undefined): string | null {
  if (typeof value !== 'string') return null
  const name = value.trim()
  return name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name) ? null : name
}

/** Reads ticker, CIK and name of a line. */
export function readLine(line: TickerLine): ListedTicker | { readonly wrong: string } {
  const cik = typeof line.cik === 'string' ? parseCik(line.cik) : null
  if (cik === null)
    return { wrong: `the CIK ${shown(line.cik)} ${explainCik(String(line.cik)) ?? 'is not a CIK'}` }
  const ticker = typeof line.ticker === 'string' ? parseTicker(line.ticker) : null
  if (ticker === null)
    return {
      wrong: `the ticker ${shown(line.ticker)} ${explainTicker(String(line.ticker)) ?? 'is not a ticker'}`,
    }
  const name = parseCompanyName(line.name)
  return name === null ? { wrong: `the name ${shown(line.name)} is not usable` } : { cik, name, ticker }
}

/** Longer than any name of an exchange in the list. */
const MAX_EXCHANGE_LENGTH = 40

/** The name of the exchange; empty if the line has none, null if it is not usable. */
export function readExchange({ exchange }: TickerLine): string | null {
  if (exchange === null || exchange === undefined) return ''
  if (typeof exchange !== 'string') return null
  const name = exchange.trim()
  return name.length > MAX_EXCHANGE_LENGTH || /\p{Cc}/u.test(name) ? null : name
}
