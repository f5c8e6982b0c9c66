import { z } from 'zod'
import { type Figi, parseCurrencyCode, parseFigi, parseMic, type Ticker } from '../../../core/identifiers.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import type { ResolvedInstrument } from '../../../domains/instruments/model.js'
import { BrokenBody, quoted } from '../../feed.js'
import { MARKETS } from './markets.js'

/** What to send where. */
export interface ProviderRequest {
  readonly path: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The question which instrument goes by a ticker: OpenFIGI v3, POST /v3/mapping. */
export const resolveTicker = {
  /** `apiKey` raises the provider's rate limit; null asks without. */
  request(ticker: Ticker, apiKey: string | null): ProviderRequest {
    const jobs = spellings(ticker).map((idValue) => ({ idType: 'TICKER', idValue }))
    return {
      path: '/v3/mapping',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey === null ? {} : { 'x-openfigi-apikey': apiKey }),
      },
      body: JSON.stringify(jobs),
    }
  },

  /**
   * One instrument out of all listings with the ticker, or null when there is none. Throws BrokenBody when the body
   * is no answer to the question: not JSON, another shape, an error in place of data, no row that holds.
   */
  parse(body: Uint8Array, ticker: Ticker): ResolvedInstrument | null {
    const asked = spellings(ticker)
    const results = readResults(body)
    if (results.length !== asked.length) {
      throw new BrokenBody(`${results.length} results were sent for ${asked.length} jobs`)
    }
    const rows = results.flatMap((result) => result.data ?? [])
    const refused = results.find((result) => result.error !== undefined)
    if (rows.length === 0 && refused?.error !== undefined) {
      throw new BrokenBody(`the job was refused: ${quoted(refused.error)}`)
    }
    const listings = rows.map(readRow).filter((listing) => listing !== null)
    if (rows.length > 0 && listings.length === 0) throw new BrokenBody(`none of ${rows.length} rows holds`)
    const [chosen] = listings.filter((listing) => asked.includes(listing.ticker)).sort(byPreference)
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

/** Null for a row without name or ticker, or whose FIGI has a wrong check digit. */
function readRow(row: unknown): FigiListing | null {
  const parsed = Row.safeParse(row)
  const figi = parsed.success ? parseFigi(parsed.data.figi) : null
  return parsed.success && figi !== null ? { ...parsed.data, figi } : null
}

/** Lines of an issuer's own; a REIT is the share itself, a receipt represents a share that trades elsewhere. */
const FIRST_TYPES: ReadonlySet<string> = new Set(['common stock', 'etp', 'mutual fund', 'crypto', 'reit'])

const HOME = 'US'

/**
 * The composite of a country before one venue of it, an issuer's own line before receipts and those before rights
 * and derivatives, the United States before other known markets; what is equal in all that, by FIGI.
 */
function byPreference(a: FigiListing, b: FigiListing): number {
  const difference =
    compositeRank(a) - compositeRank(b) || typeRank(a) - typeRank(b) || marketRank(a) - marketRank(b)
  return difference === 0 ? (a.figi < b.figi ? -1 : 1) : difference
}

/** What trades on no exchange (crypto) has no composite and is no venue either. */
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

/** The two type fields spell the same words differently (Crypto, CRYPTO), and an ETF says so only in the first. */
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
    isin: null, // the provider may not pass ISINs on
    mic: market?.mic ? parseMic(market.mic) : null,
    currency: market?.currency ? parseCurrencyCode(market.currency) : null,
  }
}
