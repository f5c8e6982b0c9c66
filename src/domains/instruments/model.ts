import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { Cik, Ticker } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'
import {
  ASSET,
  type CURRENCY,
  INSTRUMENT,
  type INSTRUMENT_IDENTIFIER,
  type MARKET,
} from '../../generated/columns.js'
import { only, type RowOf, without } from '../../platform/database/statement.js'
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

const OF_ASSET = without(ASSET, 'lastUpdated', 'source')
const OF_LISTING = without(INSTRUMENT, 'instrumentId', 'assetId', 'isPrimary', 'source')

/** The columns of an asset and of its primary listing that sources state. */
export const STATED_COLUMNS = { ofAsset: OF_ASSET, ofListing: OF_LISTING } as const

type StatedRow = RowOf<typeof OF_ASSET & typeof OF_LISTING>

/** Columns of a listing. A column that is not stated is missing. */
export type ListingFacts = Partial<RowOf<typeof OF_LISTING>>

/** The columns that every source states. */
type AlwaysStated =
  | keyof typeof OF_ASSET
  | 'mic'
  | 'isin'
  | 'figi'
  | 'currency'
  | 'sectorGics'
  | 'cik'
  | 'lei'

/** An asset and its primary listing from a source, with verified identifiers. A column that is not stated is null. */
export interface InstrumentFacts
  extends Omit<Pick<StatedRow, AlwaysStated>, 'tier'>,
    Partial<Omit<StatedRow, AlwaysStated>> {
  readonly tier: 1 | 2 | 3 | null
  /** The contract whose `totalSupply` counts every unit of a token. Null for coins and for tokens issued on several chains. */
  readonly contract: TokenContract | null
  /** Former tickers, each with the first day on which it was no longer valid. Undefined if none is known. */
  readonly formerTickers?: readonly FormerTicker[]
  /** The CIK before the one that begins on this day. Undefined if none is known. */
  readonly formerCik?: { readonly cik: string; readonly to: IsoDate }
  /**
   * By venue, the symbol of the crypto asset against the venue's dollar, e.g. kraken: XBTUSD. Null if the asset is not
   * requested from the venue. Empty for other classes.
   */
  readonly symbols: VenueSymbols
}

/** An asset of which a source states nothing but its names. */
export const NOTHING_STATED = {
  tier: null,
  mic: null,
  isin: null,
  figi: null,
  currency: 'USD',
  sectorGics: null,
  cik: null,
  contract: null,
  lei: null,
  symbols: {},
} as const satisfies Partial<InstrumentFacts>

/** Kinds of securities that are neither shares nor funds. */
export const SECURITY_TYPES = INSTRUMENT.securityType.values

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

/** An identifier of an instrument and its period of validity. */
export type IdentifierRow = Omit<
  RowOf<typeof INSTRUMENT_IDENTIFIER>,
  'occurrence' | 'knownFrom' | 'knownTo' | 'source'
>

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

export type VenueSymbols = Readonly<Record<string, string | null>>

export type CurrencyFacts = Omit<RowOf<typeof CURRENCY>, 'source'>

export type MarketFacts = Omit<RowOf<typeof MARKET>, 'source'>

const LISTED_ASSET = only(ASSET, 'assetId', 'slug', 'name', 'assetClass', 'lastUpdated')
const LISTED = without(INSTRUMENT, 'instrumentId', 'assetId', 'lei', 'issuerAssetId', 'isConfirmed')

/** The columns of a listing and of its asset that are read with it. */
export const LISTING_COLUMNS = { ofAsset: LISTED_ASSET, ofListing: LISTED } as const

/** A listing of the instrument master with its asset. Identifiers were verified before they were stored. */
export interface Listing extends RowOf<typeof LISTED_ASSET>, RowOf<typeof LISTED> {
  /** Slug of the main share of the same issuer. Null for that share, and if it is not known. */
  readonly issuerSlug: string | null
  /** The figure by which a list of stocks is sorted. Absent in other answers. */
  readonly sortFigure?: SortFigure
}

/** A figure of a company in its latest period. Null if its filings do not state it completely. */
export interface SortFigure {
  readonly value: number | null
  readonly periodEnd: IsoDate | null
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
  /** What the source states of its listings. It is stored in the columns that are unknown. */
  readonly listing?: ListingFacts
}
