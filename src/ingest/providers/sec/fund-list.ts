import { groupBy } from '../../../core/group-by.js'
import { type Cik, explainTicker, parseCik, parseTicker } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { FundLine, ListedFund } from '../../../domains/instruments/funds/fund-classes-model.js'
import { isJsonObject, isList, type Json, shown, wholeJson } from '../../bodies/json/json-body.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed } from '../../feed.js'
import { CLASS_ID, isMutualFundTicker, SERIES_ID } from './fund-keys.js'
import { FUNDS_URL, SEC_VARIABLE, secRequest } from './request.js'

/** Exchanges give a fund at most four letters. A suffix, which others may have, is kept. */
const EXCHANGE_TICKER = /^[A-Z]{1,4}(-[A-Z]{1,2})?$/

/** The complete list of the classes of funds of the day, with the ticker of each. */
export const secFunds: Feed<FundLine> = {
  id: 'sec-funds',
  provider: PROVIDERS.sec,
  dataset: 'instruments',
  description:
    'ETFs for all classes of funds of the list that have a ticker on an exchange; mutual funds make none',
  cadence: 'daily',
  keyVariable: SEC_VARIABLE,
  fileNames: ['company_tickers_mf.json'],
  request: () => secRequest(FUNDS_URL, 'application/json'),
  parse: parseFunds,
}

interface Cells {
  readonly position: string
  readonly cik: Json | undefined
  readonly seriesId: Json | undefined
  readonly classId: Json | undefined
  readonly symbol: Json | undefined
}

function* parseFunds(body: Uint8Array, context: ParseContext): Generator<Parsed<FundLine>> {
  const lines = listLines(wholeJson(body)).map((line) => ({ ...line, read: readFund(line) }))
  const usable = lines.flatMap(({ read }) => (read === null || 'wrong' in read ? [] : read))
  const linesOf = groupBy(usable, ({ classId }) => classId)
  const isUnclear = (one: ListedFund) =>
    linesOf
      .get(one.classId)
      ?.some(
        ({ ticker, seriesId, cik }) => ticker !== one.ticker || seriesId !== one.seriesId || cik !== one.cik,
      )
  const given = new Set<string>()
  for (const { position, read } of lines) {
    if (read === null) context.onAbsent()
    else if ('wrong' in read)
      yield { kind: 'rejected', position, reason: read.wrong, listed: { kind: 'unreadable' } }
    else if (!EXCHANGE_TICKER.test(read.ticker)) {
      const reason = `the ticker ${read.ticker} of ${read.classId} is neither one of an exchange nor one of a mutual fund`
      yield { kind: 'rejected', position, reason }
    } else if (isUnclear(read)) {
      const reason = `the list has ${read.classId} with other facts too; neither is used`
      yield { kind: 'rejected', position, reason, listed: { kind: 'unreadable' } }
    } else if (given.has(read.classId)) context.onAbsent()
    else yield { kind: 'row', row: read }
    if (read !== null && !('wrong' in read)) given.add(read.classId)
  }
  context.onRead(1)
}

function listLines(value: Json): readonly Cells[] {
  if (!isJsonObject(value)) throw new BrokenBody('the body is not a list of funds')
  const [fields, data] = [value.get('fields'), value.get('data')]
  if (!isList(fields) || !isList(data)) throw new BrokenBody('the body is not a list of funds')
  const places = ['cik', 'seriesId', 'classId', 'symbol'].map((field) => fields.indexOf(field))
  if (places.includes(-1)) throw new BrokenBody('the list of funds lacks cik, seriesId, classId or symbol')
  if (data.length === 0) throw new BrokenBody('the list of funds is empty')
  return data.map((row, at) => {
    const cells = isList(row) && row.length === fields.length ? row : []
    const [cik, seriesId, classId, symbol] = places.map((place) => cells[place])
    return { position: `entry ${at}`, cik, seriesId, classId, symbol }
  })
}

/** Null for a class without a ticker, and for one of a mutual fund. */
function readFund({ cik, seriesId, classId, symbol }: Cells): ListedFund | null | { readonly wrong: string } {
  if (symbol === null || symbol === '') return null
  const ticker = typeof symbol === 'string' ? parseTicker(symbol) : null
  if (ticker === null)
    return { wrong: `the ticker ${shown(symbol)} ${explainTicker(String(symbol)) ?? 'is not a ticker'}` }
  if (isMutualFundTicker(ticker)) return null
  const registrant: Cik | null = typeof cik === 'string' ? parseCik(cik) : null
  if (registrant === null) return { wrong: `the CIK ${shown(cik)} of ${ticker} is not a CIK` }
  if (typeof seriesId !== 'string' || !SERIES_ID.test(seriesId))
    return { wrong: `the series ${shown(seriesId)} of ${ticker} is not the id of a series` }
  if (typeof classId !== 'string' || !CLASS_ID.test(classId))
    return { wrong: `the class ${shown(classId)} of ${ticker} is not the id of a class` }
  return { kind: 'listed', classId, seriesId, cik: registrant, ticker }
}
