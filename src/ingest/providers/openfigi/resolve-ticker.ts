import { parseCurrencyCode, parseMic, type Ticker } from '../../../core/identifiers.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import type { ResolvedInstrument } from '../../../domains/instruments/discovery/identifier-service-model.js'
import { BrokenBody } from '../../feed.js'
import { type MappedSecurity, parseMappingAnswer } from './mapping-answer.js'
import { mappingRequest, slashed } from './mapping-request.js'
import { MARKETS } from './markets.js'

/** The request for the instrument with a ticker. */
export const resolveTicker = {
  request(ticker: Ticker, apiKey: string | null) {
    const jobs = spellings(ticker).map((idValue) => ({ idType: 'TICKER' as const, idValue }))
    return mappingRequest(jobs, apiKey)
  },

  /**
   * The best of all listings with the ticker, or null without one. Throws BrokenBody for other text, an error in
   * place of data, and rows that are all invalid.
   */
  parse(body: Uint8Array, ticker: Ticker): ResolvedInstrument | null {
    const tickers = spellings(ticker)
    const results = parseMappingAnswer(body, tickers.length)
    const rows = results.flatMap((result) => ('wrong' in result ? [] : result.value))
    const refused = results.find((result) => 'wrong' in result)
    if (rows.length === 0 && refused !== undefined) throw new BrokenBody(refused.wrong)
    const listings = rows.flatMap((row) => ('wrong' in row ? [] : row.value))
    if (rows.length > 0 && listings.length === 0) throw new BrokenBody(`none of ${rows.length} rows is valid`)
    const [chosen] = listings.filter((listing) => tickers.includes(listing.ticker)).sort(byPreference)
    return chosen === undefined ? null : instrumentOf(chosen)
  },
} as const

function spellings(ticker: Ticker): readonly string[] {
  return [...new Set([ticker, slashed(ticker)])]
}

/**
 * Types of an issuer's primary line; a REIT is the share itself, a receipt represents a share that trades
 * elsewhere.
 */
const FIRST_TYPES: ReadonlySet<string> = new Set(['common stock', 'etp', 'mutual fund', 'crypto', 'reit'])

const HOME = 'US'

/**
 * Prefers the composite of a country to one venue of it, a primary line to receipts and those to rights and
 * derivatives, and the United States to other known markets. The FIGI breaks ties.
 */
function byPreference(a: MappedSecurity, b: MappedSecurity): number {
  const difference =
    compositeRank(a) - compositeRank(b) || typeRank(a) - typeRank(b) || marketRank(a) - marketRank(b)
  return difference === 0 ? (a.figi < b.figi ? -1 : 1) : difference
}

/** An instrument without an exchange (crypto) has neither a composite nor a venue. */
function compositeRank({ figi, compositeFigi, exchCode }: MappedSecurity): number {
  return compositeFigi === figi || (compositeFigi === null && exchCode === null) ? 0 : 1
}

function typeRank(listing: MappedSecurity): number {
  if (isOfType(listing, FIRST_TYPES)) return 0
  return isOfType(listing, RECEIPT_TYPES) ? 1 : 2
}

function marketRank({ exchCode }: MappedSecurity): number {
  if (exchCode === null) return 2
  if (exchCode === HOME) return 0
  return MARKETS.has(exchCode) ? 1 : 2
}

const RECEIPT_TYPES: ReadonlySet<string> = new Set(['depositary receipt'])
const STOCK_TYPES: ReadonlySet<string> = new Set(['common stock', 'depositary receipt', 'reit'])
const ETF_TYPES: ReadonlySet<string> = new Set(['etp', 'etf'])
const CRYPTO_TYPES: ReadonlySet<string> = new Set(['crypto'])

function isOfType({ securityTypes }: MappedSecurity, types: ReadonlySet<string>): boolean {
  return securityTypes.some((type) => types.has(type))
}

function assetClassOf(listing: MappedSecurity): AssetClass | null {
  if (listing.marketSector === 'Comdty') return 'commodity'
  if (listing.marketSector === 'Curncy') return isOfType(listing, CRYPTO_TYPES) ? 'crypto' : null
  if (isOfType(listing, ETF_TYPES)) return 'etf'
  return isOfType(listing, STOCK_TYPES) ? 'stock' : null
}

function instrumentOf(listing: MappedSecurity): ResolvedInstrument {
  const market = MARKETS.get(listing.exchCode ?? '')
  return {
    figi: listing.figi,
    name: listing.name,
    assetClass: assetClassOf(listing),
    mic: market?.mic ? parseMic(market.mic) : null,
    currency: market?.currency ? parseCurrencyCode(market.currency) : null,
  }
}
