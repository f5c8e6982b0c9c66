import { z } from 'zod'
import { type Figi, parseCurrencyCode, parseFigi, parseMic, type Ticker } from '../../../core/identifiers.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import type { ResolvedInstrument } from '../../../domains/instruments/discovery/identifier-service-model.js'
import { BrokenBody, quoted } from '../../feed.js'
import { type MappingRequest, mappingRequest } from './mapping-request.js'
import { MARKETS } from './markets.js'

/** The request for the instrument with a ticker. */
export const resolveTicker = {
  /** `apiKey` raises the provider's rate limit; null sends none. */
  request(ticker: Ticker, apiKey: string | null): MappingRequest {
    return mappingRequest(
      spellings(ticker).map((idValue) => ({ idType: 'TICKER', idValue })),
      apiKey,
    )
  },

  /**
   * The best of all listings with the ticker, or null without one. Throws BrokenBody for other text, an error in
   * place of data, and rows that are all invalid.
   */
  parse(body: Uint8Array, ticker: Ticker): ResolvedInstrument | null {
    const tickers = spellings(ticker)
    const results = readResults(body)
    if (results.length !== tickers.length) {
      throw new BrokenBody(`${results.length} results were sent for ${tickers.length} jobs`)
    }
    const rows = results.flatMap((result) => result.data ?? [])
    const refused = results.find((result) => result.error !== undefined)
    if (rows.length === 0 && refused?.error !== undefined) {
      throw new BrokenBody(`the job was refused: ${quoted(refused.error)}`)
    }
    const listings = rows.map(readRow).filter((listing) => listing !== null)
    if (rows.length > 0 && listings.length === 0) throw new BrokenBody(`none of ${rows.length} rows is valid`)
    const [chosen] = listings.filter((listing) => tickers.includes(listing.ticker)).sort(byPreference)
    return chosen === undefined ? null : instrumentOf(chosen)
  },
} as const

/** The provider writes share classes and the padding of London's short tickers with a slash: BRK/B, BP/. */
function spellings(ticker: Ticker): readonly string[] {
  const slashed = ticker.replaceAll(/[.-]/g, '/')
  return slashed === ticker ? [ticker] : [ticker, slashed]
}

const Result = z
  .object({ data: z.array(z.unknown()), warning: z.string(), error: z.string() })
  .partial()
  .refine((result) => Object.values(result).some((value) => value !== undefined))

function readResults(body: Uint8Array): readonly z.infer<typeof Result>[] {
  const parsed = z.array(Result).safeParse(parseBody(body))
  if (!parsed.success) throw new BrokenBody('the body is not a list of mapping results')
  return parsed.data
}

function parseBody(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BrokenBody(`the body is not JSON; it begins with ${quoted(text)}`, { cause })
  }
}

const Row = z.object({
  figi: z.string(),
  name: z.string().min(1),
  ticker: z.string(),
  exchCode: z.string().nullish(),
  compositeFIGI: z.string().nullish(),
  securityType: z.string().nullish(),
  securityType2: z.string().nullish(),
  marketSector: z.string().nullish(),
})

type FigiListing = Omit<z.infer<typeof Row>, 'figi'> & { readonly figi: Figi }

/** Null for a row without name or ticker, and for a FIGI with a wrong check digit. */
function readRow(row: unknown): FigiListing | null {
  const parsed = Row.safeParse(row)
  const figi = parsed.success ? parseFigi(parsed.data.figi) : null
  return parsed.success && figi !== null ? { ...parsed.data, figi } : null
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
function byPreference(a: FigiListing, b: FigiListing): number {
  const difference =
    compositeRank(a) - compositeRank(b) || typeRank(a) - typeRank(b) || marketRank(a) - marketRank(b)
  return difference === 0 ? (a.figi < b.figi ? -1 : 1) : difference
}

/** An instrument without an exchange (crypto) has neither a composite nor a venue. */
function compositeRank({ figi, compositeFIGI, exchCode }: FigiListing): number {
  return compositeFIGI === figi || (compositeFIGI == null && exchCode == null) ? 0 : 1
}

function typeRank(listing: FigiListing): number {
  if (isOfType(listing, FIRST_TYPES)) return 0
  return isOfType(listing, RECEIPT_TYPES) ? 1 : 2
}

function marketRank({ exchCode }: FigiListing): number {
  if (exchCode == null) return 2
  if (exchCode === HOME) return 0
  return MARKETS.has(exchCode) ? 1 : 2
}

const RECEIPT_TYPES: ReadonlySet<string> = new Set(['depositary receipt'])
const STOCK_TYPES: ReadonlySet<string> = new Set(['common stock', 'depositary receipt', 'reit'])
const ETF_TYPES: ReadonlySet<string> = new Set(['etp', 'etf'])
const CRYPTO_TYPES: ReadonlySet<string> = new Set(['crypto'])

/** The two type fields spell types differently (Crypto, CRYPTO), and only the first names an ETF. */
function isOfType({ securityType, securityType2 }: FigiListing, types: ReadonlySet<string>): boolean {
  return types.has(securityType?.toLowerCase() ?? '') || types.has(securityType2?.toLowerCase() ?? '')
}

function assetClassOf(listing: FigiListing): AssetClass | null {
  if (listing.marketSector === 'Comdty') return 'commodity'
  if (listing.marketSector === 'Curncy') return isOfType(listing, CRYPTO_TYPES) ? 'crypto' : null
  if (isOfType(listing, ETF_TYPES)) return 'etf'
  return isOfType(listing, STOCK_TYPES) ? 'stock' : null
}

function instrumentOf(listing: FigiListing): ResolvedInstrument {
  const market = MARKETS.get(listing.exchCode ?? '')
  return {
    figi: listing.figi,
    name: listing.name,
    assetClass: assetClassOf(listing),
    isin: null, // the provider may not redistribute ISINs
    mic: market?.mic ? parseMic(market.mic) : null,
    currency: market?.currency ? parseCurrencyCode(market.currency) : null,
  }
}
