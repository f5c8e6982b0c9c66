import { type Figi, parseFigi, parseTicker } from '../../../core/identifiers.js'
import type { FigiSymbol } from '../../../domains/instruments/symbols/figi-symbols-model.js'
import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  shown,
  wholeJson,
} from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { BrokenBody, type Feed, type FeedRequest, type ParseContext, type Parsed } from '../../feed.js'
import { openFigi } from '../providers.js'
import { mappingFeedRequest, type OpenFigiAccount } from './mapping-request.js'

/** A name is cut off by the provider at about 30 characters. */
const MAX_NAME_LENGTH = 200

/** The ticker that each FIGI has now, in an answer of OpenFIGI v3, POST /v3/mapping with `ID_BB_GLOBAL`. */
export const figiSymbols: Feed<FigiSymbol> = {
  id: 'figi-symbols',
  provider: openFigi,
  dataset: 'instruments',
  description: 'Which ticker a FIGI has and since when: compares the answers with those of the week before',
  cadence: 'weekly',
  fileNames: ['mapping.json'],
  parse: (body, context) => symbolsOf(body, context, null),
}

/** The request for the tickers of several FIGIs. An answer about another FIGI is rejected. */
export function figiSymbolsOf(figis: readonly Figi[], account: OpenFigiAccount): Feed<FigiSymbol> {
  return {
    ...figiSymbols,
    request: () => figiRequest(figis, account),
    parse: (body, context) => symbolsOf(body, context, new Set(figis)),
  }
}

function figiRequest(figis: readonly Figi[], account: OpenFigiAccount): FeedRequest {
  return mappingFeedRequest(
    figis.map((idValue) => ({ idType: 'ID_BB_GLOBAL', idValue })),
    account,
  )
}

/** `requested` is null for a file, which may have any FIGI. */
function symbolsOf(body: Uint8Array, context: ParseContext, requested: ReadonlySet<Figi> | null) {
  return withoutContradicted(parseSymbols(body, context, requested), ({ figi }) => figi)
}

function* parseSymbols(
  body: Uint8Array,
  context: ParseContext,
  requested: ReadonlySet<Figi> | null,
): Generator<Parsed<FigiSymbol>> {
  const results = wholeJson(body)
  if (!isList(results) || results.length === 0)
    throw new BrokenBody('the body is not a list of mapping results')
  if (requested !== null && results.length !== requested.size)
    throw new BrokenBody(`${results.length} results were sent for ${requested.size} FIGIs`)
  const given = new Map<Figi, FigiSymbol>()
  for (const [at, result] of results.entries()) {
    const position = `result ${at + 1}`
    const rows = isJsonObject(result) ? result.get('data') : undefined
    if (!isList(rows)) {
      const reason = reasonWithoutData(result)
      if (reason === null) context.onAbsent()
      else yield { kind: 'rejected', position, reason }
      continue
    }
    for (const [number, row] of rows.entries()) {
      const read = readSymbol(row, requested)
      const where = rows.length === 1 ? position : `${position}, row ${number + 1}`
      if ('wrong' in read) {
        yield { kind: 'rejected', position: where, reason: read.wrong }
        continue
      }
      const earlier = given.get(read.value.figi)
      if (earlier === undefined) yield { kind: 'row', row: read.value }
      else if (earlier.ticker === read.value.ticker) context.onAbsent()
      else {
        const reason = `${read.value.figi} has the ticker ${earlier.ticker} in an earlier row of the answer`
        yield { kind: 'rejected', position: where, reason, contradicts: earlier }
      }
      given.set(read.value.figi, read.value)
    }
  }
  context.onRead(1)
}

/** Null if OpenFIGI does not know the FIGI. */
function reasonWithoutData(result: Json): string | null {
  if (!isJsonObject(result)) return `${shown(result)} is not a result`
  if (result.has('error')) return `OpenFIGI refused the FIGI: ${shown(result.get('error'))}`
  return result.has('warning') ? null : 'the result has neither data nor a warning'
}

function readSymbol(row: Json, requested: ReadonlySet<Figi> | null): Read<FigiSymbol> {
  const given: JsonObject = isJsonObject(row) ? row : new Map()
  const [figi, ticker, name] = [parsedText(given.get('figi')), given.get('ticker'), given.get('name')]
  if (figi === null) return { wrong: `${shown(given.get('figi'))} is not a FIGI` }
  if (requested?.has(figi) === false) return { wrong: `the FIGI ${figi} was not requested` }
  // The provider writes share classes with a slash: BRK/B.
  const parsed = typeof ticker === 'string' ? parseTicker(ticker.replaceAll('/', '.')) : null
  if (parsed === null) return { wrong: `${shown(ticker)} is not a ticker` }
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH)
    return { wrong: `${shown(name)} is not the name of a security` }
  return { value: { figi, ticker: parsed, name } }
}

function parsedText(value: Json | undefined): Figi | null {
  return typeof value === 'string' ? parseFigi(value) : null
}
