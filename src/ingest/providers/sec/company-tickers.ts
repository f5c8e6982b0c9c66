import { groupBy } from '../../../core/group-by.js'
import {
  type Cik,
  explainCik,
  explainTicker,
  parseCik,
  parseTicker,
  type Ticker,
} from '../../../core/identifiers.js'
import type { UsCompany } from '../../../domains/instruments/model.js'
import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  shown,
  wholeJson,
} from '../../bodies/json/json-body.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { sec } from './provider.js'
import { SEC_VARIABLE, secRequest } from './request.js'

/** The tickers of all companies that file with the SEC, once a day. */
export const secTickers: Feed<UsCompany> = {
  id: 'sec-tickers',
  provider: sec,
  dataset: 'instruments',
  description:
    'Tickers and CIKs of US companies: fills a missing CIK, and notices that a stock changed its ticker',
  cadence: 'daily',
  schedule: byCron('20 10 * * *', 1_200_000),
  keyVariable: SEC_VARIABLE,
  fileNames: ['company_tickers.json', 'company_tickers_exchange.json'],
  request: () => secRequest('https://www.sec.gov/files/company_tickers_exchange.json', 'application/json'),
  parse: parseTickers,
}

/** A line of the list: one ticker of a company. */
interface Line {
  readonly position: string
  readonly cik: Json | undefined
  readonly name: Json | undefined
  readonly ticker: Json | undefined
}

interface Listed {
  readonly cik: Cik
  readonly name: string
  readonly ticker: Ticker
}

/** One row per company, with its tickers in the order of the list. */
function* parseTickers(body: Uint8Array, context: ParseContext): Generator<Parsed<UsCompany>> {
  const read = linesOf(wholeJson(body)).map((line) => ({ line, listed: readLine(line) }))
  const listed = read.flatMap((one) => ('wrong' in one.listed ? [] : one.listed))
  const contradictionOf = contradictionsOf(listed)
  const companies = new Map<Cik, { readonly name: string; readonly tickers: Set<Ticker> }>()
  for (const { line, listed: one } of read) {
    const reason = 'wrong' in one ? one.wrong : contradictionOf(one)
    if (reason !== null) yield { kind: 'rejected', position: line.position, reason }
    if ('wrong' in one || reason !== null) continue
    const company = companies.get(one.cik)
    if (company === undefined) companies.set(one.cik, { name: one.name, tickers: new Set([one.ticker]) })
    else {
      company.tickers.add(one.ticker)
      context.onAbsent()
    }
  }
  for (const [cik, { name, tickers }] of companies)
    yield { kind: 'row', row: { cik, name, tickers: [...tickers] } }
  context.onRead(1)
}

/** A ticker of two companies counts for neither, and a company with two names is rejected. */
function contradictionsOf(listed: readonly Listed[]): (one: Listed) => string | null {
  const ofTicker = groupBy(listed, ({ ticker }) => ticker)
  const ofCik = groupBy(listed, ({ cik }) => cik)
  return ({ cik, name, ticker }) => {
    const holder = ofTicker.get(ticker)?.find((other) => other.cik !== cik)
    if (holder !== undefined) return `${ticker} also belongs to ${holder.cik}; neither is used`
    const named = ofCik.get(cik)?.find((other) => other.name !== name)
    return named === undefined ? null : `${cik} also has the name ${quoted(named.name)}; neither is used`
  }
}

/** Either form of the list: objects by number, or a table with column names. */
function linesOf(value: Json): readonly Line[] {
  if (!isJsonObject(value) || value.size === 0) throw new BrokenBody('the body is not a list of companies')
  const [fields, data] = [value.get('fields'), value.get('data')]
  if (isList(fields) && isList(data)) return tableLines(fields, data)
  return [...value].map(([place, entry]) => {
    if (!isJsonObject(entry) || !entry.has('cik_str'))
      throw new BrokenBody(`entry ${place} of the body is not a company`)
    return lineOf(place, entry, 'cik_str', 'title')
  })
}

function lineOf(place: string, entry: JsonObject, cik: string, name: string): Line {
  return {
    position: `entry ${place}`,
    cik: entry.get(cik),
    name: entry.get(name),
    ticker: entry.get('ticker'),
  }
}

function tableLines(fields: readonly Json[], data: readonly Json[]): readonly Line[] {
  const places = ['cik', 'name', 'ticker'].map((field) => fields.indexOf(field))
  if (places.includes(-1)) throw new BrokenBody('the table of companies lacks cik, name or ticker')
  if (data.length === 0) throw new BrokenBody('the table of companies is empty')
  return data.map((row, at) => {
    const cells = isList(row) && row.length === fields.length ? row : []
    const [cik, name, ticker] = places.map((place) => cells[place])
    return { position: `entry ${at}`, cik, name, ticker }
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

function readLine(line: Line): Listed | { readonly wrong: string } {
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
