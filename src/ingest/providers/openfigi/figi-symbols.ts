import { groupBy } from '../../../core/group-by.js'
import { type Figi, parseTicker } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { FigiSymbol } from '../../../domains/instruments/symbols/figi-symbols-model.js'
import { type Read, readOn } from '../../bodies/read.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { type MappedSecurity, parseMappingAnswer } from './mapping-answer.js'
import { mappingRequest } from './mapping-request.js'

/** The ticker that each FIGI has now. */
export const figiSymbols: Feed<FigiSymbol> = {
  id: 'figi-symbols',
  provider: PROVIDERS.openFigi,
  dataset: 'instruments',
  description: 'Which ticker a FIGI has and since when: compares the answers with those of the week before',
  cadence: 'weekly',
  fileNames: ['mapping.json'],
  parse: (body, context) => parseSymbols(body, context, null),
}

/** The request for the tickers of several FIGIs. An answer about another FIGI is rejected. */
export function figiSymbolsOf(figis: readonly Figi[], apiKey: string | null): Feed<FigiSymbol> {
  const jobs = figis.map((idValue) => ({ idType: 'ID_BB_GLOBAL' as const, idValue }))
  return {
    ...figiSymbols,
    request: () => mappingRequest(jobs, apiKey),
    parse: (body, context) => parseSymbols(body, context, new Set(figis)),
  }
}

/** `requested` is null for a file, which may have any FIGI. */
function* parseSymbols(
  body: Uint8Array,
  context: ParseContext,
  requested: ReadonlySet<Figi> | null,
): Generator<Parsed<FigiSymbol>> {
  const found: { readonly position: string; readonly symbol: FigiSymbol }[] = []
  for (const [at, result] of parseMappingAnswer(body, requested?.size ?? null).entries()) {
    const position = `result ${at + 1}`
    const rows = 'wrong' in result ? [result] : result.value
    if (rows.length === 0) context.onAbsent()
    for (const row of rows) {
      const read = readOn(row, (security) => symbolOf(security, requested))
      if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
      else found.push({ position, symbol: read.value })
    }
  }
  for (const rows of groupBy(found, ({ symbol }) => symbol.figi).values()) {
    const [{ symbol }, ...others] = rows
    const tickers = new Set(rows.map((row) => row.symbol.ticker))
    if (tickers.size === 1) {
      yield { kind: 'row', row: symbol }
      context.onAbsent(others.length)
      continue
    }
    const reason = `${symbol.figi} has several tickers in the answer: ${[...tickers].join(', ')}`
    for (const { position } of rows) yield { kind: 'rejected', position, reason }
  }
  context.onRead(1)
}

function symbolOf(
  { figi, ticker, name }: MappedSecurity,
  requested: ReadonlySet<Figi> | null,
): Read<FigiSymbol> {
  if (requested?.has(figi) === false) return { wrong: `the FIGI ${figi} was not requested` }
  // The provider writes share classes with a slash: BRK/B.
  const parsed = parseTicker(ticker.replaceAll('/', '.'))
  return parsed === null
    ? { wrong: `${quoted(ticker)} is not a ticker` }
    : { value: { figi, ticker: parsed, name } }
}
