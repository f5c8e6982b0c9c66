import { type Figi, parseTicker } from '../../../core/identifiers.js'
import type { FigiSymbol } from '../../../domains/instruments/symbols/figi-symbols-model.js'
import { type Read, readOn } from '../../bodies/read.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { openFigi } from '../providers.js'
import { type MappedSecurity, parseMappingAnswer } from './mapping-answer.js'
import { mappingRequest } from './mapping-request.js'

/** The ticker that each FIGI has now. */
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
export function figiSymbolsOf(figis: readonly Figi[], apiKey: string | null): Feed<FigiSymbol> {
  const jobs = figis.map((idValue) => ({ idType: 'ID_BB_GLOBAL' as const, idValue }))
  return {
    ...figiSymbols,
    request: () => mappingRequest(jobs, apiKey),
    parse: (body, context) => symbolsOf(body, context, new Set(figis)),
  }
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
  const given = new Map<Figi, FigiSymbol>()
  for (const [at, result] of parseMappingAnswer(body, requested?.size ?? null).entries()) {
    const position = `result ${at + 1}`
    if ('wrong' in result) {
      yield { kind: 'rejected', position, reason: result.wrong }
      continue
    }
    if (result.value.length === 0) context.onAbsent()
    for (const [number, security] of result.value.entries()) {
      const read = readOn(security, (one) => symbolOf(one, requested))
      const where = result.value.length === 1 ? position : `${position}, row ${number + 1}`
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
