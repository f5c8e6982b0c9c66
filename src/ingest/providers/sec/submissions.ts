import { type Lei, parseCik, parseLei, parseTicker } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'
import type { FormerName, UsCompany } from '../../../domains/instruments/model.js'
import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  shown,
  wholeJson,
} from '../../bodies/json/json-body.js'
import { BrokenBody, type Feed, type FeedRequest, type ParseContext, type Parsed } from '../../feed.js'
import { SEC_VARIABLE, secRequest } from './request.js'
import { parseCompanyName } from './ticker-list.js'

/** The SEC's master data of one company: its tickers, its LEI, and its former names. */
export const secSubmissions: Feed<UsCompany> = {
  id: 'sec-submissions',
  provider: PROVIDERS.sec,
  dataset: 'instruments',
  description: 'Tickers, LEI and former names of the US companies among the stocks, one after the other',
  cadence: 'weekly',
  keyVariable: SEC_VARIABLE,
  fileNames: ['CIK0001835632.json'],
  parse: parseSubmissions,
}

/** The body of one company, by its ten-digit CIK. */
export function submissionsRequest(cik: string): FeedRequest {
  return secRequest(`https://data.sec.gov/submissions/CIK${cik}.json`, 'application/json')
}

function* parseSubmissions(body: Uint8Array, context: ParseContext): Generator<Parsed<UsCompany>> {
  const value = wholeJson(body)
  const given = isJsonObject(value) ? value : new Map<string, Json>()
  const cik = typeof given.get('cik') === 'string' ? parseCik(String(given.get('cik'))) : null
  const name = parseCompanyName(given.get('name'))
  const [tickers, formerNames] = [given.get('tickers'), given.get('formerNames')]
  if (cik === null || name === null || !isList(tickers) || !isList(formerNames))
    throw new BrokenBody('the body has no cik, name, tickers and formerNames of a company')
  const known: FormerName[] = []
  for (const [at, entry] of formerNames.entries()) {
    const read = readFormerName(entry, context.now)
    if ('wrong' in read) yield { kind: 'rejected', position: `former name ${at + 1}`, reason: read.wrong }
    else known.push(read)
  }
  const read = tickers.map((ticker) => (typeof ticker === 'string' ? parseTicker(ticker) : null))
  for (const [at, ticker] of read.entries())
    if (ticker === null)
      yield {
        kind: 'rejected',
        position: `ticker ${at + 1}`,
        reason: `${shown(tickers[at])} is not a ticker`,
      }
  const lei = readLei(given)
  if (lei === 'wrong')
    yield { kind: 'rejected', position: 'lei', reason: `${shown(given.get('lei'))} is not an LEI` }
  const company = { cik, name, tickers: read.filter((ticker) => ticker !== null), formerNames: known }
  yield { kind: 'row', row: { ...company, listing: { lei: lei === 'wrong' ? null : lei } } }
  context.onRead(1)
}

/** An LEI with wrong check digits does not count. */
function readLei(given: JsonObject): Lei | 'wrong' | null {
  const lei = given.get('lei') ?? null
  if (lei === null || lei === '') return null
  return (typeof lei === 'string' ? parseLei(lei) : null) ?? 'wrong'
}

function readFormerName(entry: Json, now: Date): FormerName | { readonly wrong: string } {
  const given = isJsonObject(entry) ? entry : new Map<string, Json>()
  const name = parseCompanyName(given.get('name'))
  const [from, to] = [dayOf(given.get('from')), dayOf(given.get('to'))]
  if (name === null || to === null)
    return { wrong: `${shown(given.get('name'))} is not a name with a last day` }
  if (to > now.toISOString()) return { wrong: `${shown(name)} ends on ${to}, in the future` }
  return { name, from: from !== null && from < to ? from : null, to }
}

/** The day of `2021-04-20T00:00:00.000Z`. */
function dayOf(value: Json | undefined): IsoDate | null {
  return typeof value === 'string' ? parseIsoDate(value.slice(0, 10)) : null
}
