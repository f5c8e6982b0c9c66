import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { Cik, Lei, Mic, Ticker } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'
import { ASSET_CLASSES, type AssetClass } from '../assets/model.js'

const DATASETS = registerDatasets({ instruments: 'tier', codes: 'monthly' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The eleven sectors of the Global Industry Classification Standard since 2018. */
export const GICS_SECTORS = [
  'Communication Services',
  'Consumer Discretionary',
  'Consumer Staples',
  'Energy',
  'Financials',
  'Health Care',
  'Industrials',
  'Information Technology',
  'Materials',
  'Real Estate',
  'Utilities',
] as const

export type GicsSector = (typeof GICS_SECTORS)[number]

/** The contract of a token on an EVM chain. */
export interface TokenContract {
  /** EIP-155 chain id, e.g. 1 for Ethereum. */
  readonly chainId: number
  /** Lower-case hexadecimal with 0x. */
  readonly address: string
}

/** An asset and its primary listing from a source, with verified identifiers. */
export interface InstrumentFacts {
  /** Integer key of the asset and of its listing, stable for the life of the asset. */
  readonly assetId: number
  /** Unique lower-case name for URLs, e.g. bitcoin. */
  readonly slug: string
  /** Upper-case ticker on its market, e.g. BTC. Unique together with `mic`. */
  readonly ticker: string
  readonly name: string
  readonly assetClass: AssetClass
  /** Tier by rank, crypto only. */
  readonly tier: 1 | 2 | 3 | null
  /** ISO 10383 code of the primary market (futures market for commodities), or null without a market. */
  readonly mic: string | null
  readonly isin: string | null
  /** Composite FIGI of the primary listing's country. For crypto the FIGI of the asset itself. */
  readonly figi: string | null
  /** ISO 4217 trading currency. A London listing quoted in pence has GBP. */
  readonly currency: string
  /** GICS sector, stocks only. */
  readonly sectorGics: string | null
  /** SEC central index key, 10 digits, US filers only. */
  readonly cik: string | null
  /** The contract whose `totalSupply` counts every unit of a token. Null for coins and for tokens issued on several chains. */
  readonly contract: TokenContract | null
  /** Legal entity identifier of the issuer (ISO 17442). Null without an issuer, or if unknown. */
  readonly lei: string | null
  /** Former tickers, each with the first day on which it was no longer valid. Undefined if none is known. */
  readonly formerTickers?: readonly FormerTicker[]
  /** The CIK before the one that begins on this day. Undefined if none is known. */
  readonly formerCik?: { readonly cik: string; readonly to: IsoDate }
  /**
   * By venue, the symbol of the crypto asset against the venue's dollar, e.g. kraken: XBTUSD. Null if the asset is not
   * requested from the venue. Empty for other classes.
   */
  readonly symbols: VenueSymbols
  /** False for a coin of the exchanges' lists until exchanges agree about its price. Undefined: true. */
  readonly isConfirmed?: boolean
  /** Exchange as a list names it, e.g. NYSE, which may mean several markets. Null or undefined if no list names it. */
  readonly exchange?: string | null
  /** Null or undefined for a share or a fund, and if it is not known. */
  readonly securityType?: SecurityType | null
  /** The asset of the main share of the same issuer. Null or undefined for that share, and if it is not known. */
  readonly issuerAssetId?: number | null
  /** Day of the first list without the security. Null or undefined while it is listed. */
  readonly inactiveSince?: IsoDate | null
}

/** Kinds of securities that are neither shares nor funds. */
export const SECURITY_TYPES = ['preferred', 'warrant', 'unit', 'right'] as const

export type SecurityType = (typeof SECURITY_TYPES)[number]

/**
 * Providers whose lists create assets by themselves. Such an asset is not followed: no job requests a body for it alone (prices,
 * figures, filings), because the lists have ten thousand. An asset is followed when the reference or the operator's file has it.
 */
export const LIST_SOURCES: readonly string[] = ['sec', 'exchanges']

/** The keys from here to `LAST_LISTED_ID` belong to assets of lists; lower ones to the reference, higher ones to the operator. */
export const FIRST_LISTED_ID = 100_000
export const LAST_LISTED_ID = 999_999

/** Whether the key belongs to an asset of a list. */
export function isListedId(assetId: number): boolean {
  return assetId >= FIRST_LISTED_ID && assetId <= LAST_LISTED_ID
}

/** A ticker that was replaced by another one. */
export interface FormerTicker {
  readonly ticker: string
  /** First day on which the share traded under the next ticker. */
  readonly to: IsoDate
}

/** Schemes of identifiers. `name` is the name of the issuer. */
export const IDENTIFIER_SCHEMES = ['ticker', 'isin', 'figi', 'cik', 'lei', 'name'] as const

/** An identifier of an instrument and its period of validity. */
export interface IdentifierRow {
  readonly assetId: number
  readonly scheme: (typeof IDENTIFIER_SCHEMES)[number]
  readonly value: string
  /** First day of validity. Null if unknown. */
  readonly validFrom: IsoDate | null
  /** First day on which it was no longer valid. Null while it is valid. */
  readonly validTo: IsoDate | null
}

/** A change of the ticker of a share. */
export interface TickerChange {
  readonly assetId: number
  /** Current ticker. */
  readonly ticker: string
  readonly formerTicker: string
  /** First day under the next ticker. */
  readonly day: IsoDate
}

/** The current listing of a former ticker. */
export interface FormerListing {
  readonly formerTicker: string
  /** Current ticker. */
  readonly ticker: string
  readonly since: IsoDate
  readonly name: string
  readonly mic: string | null
  readonly assetClass: AssetClass
}

/** Symbols by venue. */
export type VenueSymbols = Readonly<Record<string, string | null>>

/** A currency of ISO 4217. */
export interface CurrencyFacts {
  readonly code: string
  /** Three digits. */
  readonly numericCode: string
  /** English name of ISO 4217. */
  readonly name: string
  /** Decimal places of the smallest unit. Null without a smaller unit, for instance for gold. */
  readonly minorUnits: number | null
}

/** A market of ISO 10383. */
export interface MarketFacts {
  readonly mic: string
  /** The market that operates this segment. The market itself if it is not a segment. */
  readonly operatingMic: string
  readonly name: string
  /** ISO 3166-1, two letters. */
  readonly country: string
}

/** A listing of the instrument master with its asset. Identifiers were verified before they were stored. */
export interface Listing {
  readonly assetId: number
  /** Lower-case name of the asset in URLs. */
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly assetClass: AssetClass
  readonly isin: string | null
  readonly figi: string | null
  /** Null without a market. */
  readonly mic: string | null
  readonly currency: string
  /** Stocks only. */
  readonly sectorGics: string | null
  /** US filers only. */
  readonly cik: string | null
  /** True for the listing that is used if a request names no market. */
  readonly isPrimary: boolean
  /** Provider of the listing, e.g. reference. */
  readonly source: string
  /** When the asset was last confirmed by its source. */
  readonly lastUpdated: Date
  /** As a list names it, e.g. NYSE. Null if no list names it. */
  readonly exchange: string | null
  /** Null for a share or a fund, and if it is not known. */
  readonly securityType: SecurityType | null
  /** Slug of the main share of the same issuer. Null for that share, and if it is not known. */
  readonly issuerSlug: string | null
  /** Day of the first list without it. Null while it is listed. */
  readonly inactiveSince: IsoDate | null
}

/** Filters of a list of stocks. Null means no filter. */
export interface StockFilter {
  readonly mic: Mic | null
  /** One of `GICS_SECTORS`. */
  readonly sector: string | null
}

/**
 * The listing meant by a ticker without a market: one that is still listed first, a primary listing, then crypto, stock, ETF,
 * commodity, then the asset with the lowest key. A coin of the exchanges' lists comes last, because many have the ticker of a share.
 * Null without a listing.
 */
export function preferredListing(listings: readonly Listing[]): Listing | null {
  return listings.reduce<Listing | null>(
    (best, listing) => (best === null || isPreferred(listing, best) ? listing : best),
    null,
  )
}

function isPreferred(a: Listing, b: Listing): boolean {
  const [isActive, isOtherActive] = [a.inactiveSince === null, b.inactiveSince === null]
  if (isActive !== isOtherActive) return isActive
  if (a.isPrimary !== b.isPrimary) return a.isPrimary
  const [isCoin, isOtherCoin] = [isCoinOfList(a), isCoinOfList(b)]
  if (isCoin !== isOtherCoin) return isOtherCoin
  // ASSET_CLASSES is in the order of preference.
  const classes = ASSET_CLASSES.indexOf(a.assetClass) - ASSET_CLASSES.indexOf(b.assetClass)
  return classes === 0 ? a.assetId < b.assetId : classes < 0
}

function isCoinOfList({ assetClass, assetId }: Listing): boolean {
  return assetClass === 'crypto' && isListedId(assetId)
}

/** A former name of a company. */
export interface FormerName {
  readonly name: string
  /** First day of the name. Null if unknown. */
  readonly from: IsoDate | null
  /** First day under the next name. */
  readonly to: IsoDate
}

/** A company that files with the SEC, with the SEC's data. */
export interface UsCompany {
  readonly cik: Cik
  readonly name: string
  /** Tickers of all its listed securities, the main one first. */
  readonly tickers: readonly Ticker[]
  /** Undefined if the source does not state them. */
  readonly formerNames?: readonly FormerName[]
  /** Null or undefined if the source does not state it. */
  readonly lei?: Lei | null
}
