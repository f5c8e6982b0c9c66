import { groupBy } from '../../../core/group-by.js'
import type { Cik, Ticker } from '../../../core/identifiers.js'
import type { UsCompany } from '../../../domains/instruments/model.js'
import { wholeJson } from '../../bodies/json/json-body.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { sec } from '../providers.js'
import { SEC_VARIABLE, secRequest, TICKERS_URL } from './request.js'
import { type ListedTicker, listLines, readLine } from './ticker-list.js'

/** The tickers of all companies that file with the SEC, once a day. */
export const secTickers: Feed<UsCompany> = {
  id: 'sec-tickers',
  provider: sec,
  dataset: 'instruments',
  description:
    'Tickers and CIKs of US companies: fills a missing CIK, and notices that a stock changed its ticker',
  cadence: 'daily',
  keyVariable: SEC_VARIABLE,
  fileNames: ['company_tickers.json', 'company_tickers_exchange.json'],
  request: () => secRequest(TICKERS_URL, 'application/json'),
  parse: parseTickers,
}

/** One row per company, with its tickers in the order of the list. */
function* parseTickers(body: Uint8Array, context: ParseContext): Generator<Parsed<UsCompany>> {
  const read = listLines(wholeJson(body)).map((line) => ({ line, listed: readLine(line) }))
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
function contradictionsOf(listed: readonly ListedTicker[]): (one: ListedTicker) => string | null {
  const ofTicker = groupBy(listed, ({ ticker }) => ticker)
  const ofCik = groupBy(listed, ({ cik }) => cik)
  return ({ cik, name, ticker }) => {
    const holder = ofTicker.get(ticker)?.find((other) => other.cik !== cik)
    if (holder !== undefined) return `${ticker} also belongs to ${holder.cik}; neither is used`
    const named = ofCik.get(cik)?.find((other) => other.name !== name)
    return named === undefined ? null : `${cik} also has the name ${quoted(named.name)}; neither is used`
  }
}
