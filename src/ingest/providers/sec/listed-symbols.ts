import { PROVIDERS } from '../../../core/providers.js'
import type { ListedLine } from '../../../domains/instruments/symbols/listed-symbols-model.js'
import { shown, wholeJson } from '../../bodies/json/json-body.js'
import type { Feed, ParseContext, Parsed } from '../../feed.js'
import { SEC_VARIABLE, secRequest, TICKERS_URL } from './request.js'
import { listLines, readExchange, readLine } from './ticker-list.js'

/** The complete list of tickers of the day, with the company and the exchange of each. */
export const secSymbols: Feed<ListedLine> = {
  id: 'sec-symbols',
  provider: PROVIDERS.sec,
  dataset: 'instruments',
  description:
    'Assets for all tickers of the list, CIKs and new tickers of known stocks, and who had a ticker since when',
  cadence: 'daily',
  keyVariable: SEC_VARIABLE,
  fileNames: ['company_tickers_exchange.json'],
  request: () => secRequest(TICKERS_URL, 'application/json'),
  parse: parseSymbols,
}

function* parseSymbols(body: Uint8Array, context: ParseContext): Generator<Parsed<ListedLine>> {
  const given = new Set<string>()
  for (const line of listLines(wholeJson(body))) {
    const listed = readLine(line)
    const exchange = readExchange(line)
    if ('wrong' in listed || exchange === null) {
      const reason = 'wrong' in listed ? listed.wrong : `the exchange ${shown(line.exchange)} is not usable`
      yield { kind: 'rejected', position: line.position, reason, listed: { kind: 'unreadable' } }
      continue
    }
    const key = `${listed.ticker} ${listed.cik} ${exchange}`
    if (given.has(key)) context.onAbsent()
    else yield { kind: 'row', row: { kind: 'listed', ...listed, exchange } }
    given.add(key)
  }
  context.onRead(1)
}
