import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { Cik, CurrencyCode, Figi, Isin, Lei, Mic, Ticker } from '../../core/identifiers.js'
import { DAY_MS, type IsoDate } from '../../core/time.js'
import { definePort } from '../../platform/request/ports.js'
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

/** An asset and its primary listing, as a source gives them. Identifiers are verified. */
export interface InstrumentFacts {
  /** Integer key of the asset and of its listing, stable for the life of the asset. */
  readonly assetId: number
  /** Unique lower-case name for URLs, e.g. bitcoin. */
  readonly slug: string
  /** Upper-case ticker on its market, e.g. BTC; unique together with `mic`. */
  readonly ticker: string
  readonly name: string
  readonly assetClass: AssetClass
  /** Tier by rank, crypto only. */
  readonly tier: 1 | 2 | 3 | null
  /** ISO 10383 code of the primary market (futures market for commodities); null where there is none. */
  readonly mic: string | null
  readonly isin: string | null
  /** Composite FIGI of the primary listing's country; the FIGI of the asset itself for crypto. */
  readonly figi: string | null
  /** ISO 4217 trading currency; a London line quoted in pence says GBP. */
  readonly currency: string
  /** GICS sector, stocks only. */
  readonly sectorGics: string | null
  /** SEC central index key, 10 digits, US filers only. */
  readonly cik: string | null
  /** Whose `totalSupply` counts every unit of a token; null for coins and for tokens issued on several chains. */
  readonly contract: TokenContract | null
  /** Legal entity identifier of the issuer (ISO 17442); null for what has none, and where it is not known. */
  readonly lei: string | null
  /** Tickers that it was listed under before, each with the first day on which it was not; left out: none is known. */
  readonly formerTickers?: readonly FormerTicker[]
  /**
   * How each venue writes the pair of a crypto asset against its dollar, e.g. kraken: XBTUSD; null: the venue is not asked for
   * it. Empty for other classes.
   */
  readonly symbols: VenueSymbols
}

/** A ticker that was given up. */
export interface FormerTicker {
  readonly ticker: string
  /** First day on which the share traded under another one. */
  readonly to: IsoDate
}

/** Schemes by which an instrument is named; `name` is the name of its issuer. */
export const IDENTIFIER_SCHEMES = ['ticker', 'isin', 'figi', 'cik', 'lei', 'name'] as const

/** An identifier of an instrument and the days on which it was its own. */
export interface IdentifierRow {
  readonly assetId: number
  readonly scheme: (typeof IDENTIFIER_SCHEMES)[number]
  readonly value: string
  /** First day; null: not known. */
  readonly validFrom: IsoDate | null
  /** First day on which it was so no more; null: it still is. */
  readonly validTo: IsoDate | null
}

/** A share that trades under another ticker. */
export interface TickerChange {
  readonly assetId: number
  /** Ticker today. */
  readonly ticker: string
  readonly formerTicker: string
  /** First day under the ticker that followed. */
  readonly day: IsoDate
}

/** The tickers of an instrument one after the other: each begins where the one before it ended. */
export function chainOfTickers(
  assetId: number,
  ticker: string,
  former: readonly FormerTicker[],
): readonly IdentifierRow[] {
  const inOrder = former.toSorted((a, b) => (a.to < b.to ? -1 : 1))
  const scheme = 'ticker' as const
  const ended = inOrder.map((one, at) => {
    const before = inOrder[at - 1]?.to ?? null
    return {
      assetId,
      scheme,
      value: one.ticker,
      validFrom: before === one.to ? null : before,
      validTo: one.to,
    }
  })
  return [...ended, { assetId, scheme, value: ticker, validFrom: inOrder.at(-1)?.to ?? null, validTo: null }]
}

/** What became of a ticker that was given up. */
export interface FormerListing {
  readonly formerTicker: string
  /** Ticker today. */
  readonly ticker: string
  readonly since: IsoDate
  readonly name: string
  readonly mic: string | null
  readonly assetClass: AssetClass
}

/** By venue. */
export type VenueSymbols = Readonly<Record<string, string | null>>

/** A currency of ISO 4217. */
export interface CurrencyFacts {
  readonly code: string
  /** Three digits. */
  readonly numericCode: string
  /** English name of ISO 4217. */
  readonly name: string
  /** Decimal places of the smallest unit; null where there is none, for instance for gold. */
  readonly minorUnits: number | null
}

/** A market of ISO 10383. */
export interface MarketFacts {
  readonly mic: string
  /** The market that operates it; itself where it is no segment of another. */
  readonly operatingMic: string
  readonly name: string
  /** ISO 3166-1, two letters. */
  readonly country: string
}

/** A listing of the instrument master together with its asset. Identifiers were verified when they were written. */
export interface Listing {
  readonly assetId: number
  /** Lower-case name of the asset in URLs. */
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly assetClass: AssetClass
  readonly isin: string | null
  readonly figi: string | null
  /** Null for what has no market of its own. */
  readonly mic: string | null
  readonly currency: string
  /** Stocks only. */
  readonly sectorGics: string | null
  /** US filers only. */
  readonly cik: string | null
  /** The listing that answers where no market is named. */
  readonly isPrimary: boolean
  /** Provider of the listing, e.g. reference. */
  readonly source: string
  /** When the asset was last confirmed by its source. */
  readonly lastUpdated: Date
}

/** What a list of stocks is narrowed to; null: not. */
export interface StockFilter {
  readonly mic: Mic | null
  /** One of `GICS_SECTORS`. */
  readonly sector: string | null
}

/**
 * The listing that a bare ticker means, of all that carry it: a primary one first, then crypto, stock, ETF,
 * commodity, then the asset with the lowest key. Null for none.
 */
export function preferredListing(listings: readonly Listing[]): Listing | null {
  return listings.reduce<Listing | null>(
    (best, listing) => (best === null || isPreferred(listing, best) ? listing : best),
    null,
  )
}

function isPreferred(a: Listing, b: Listing): boolean {
  if (a.isPrimary !== b.isPrimary) return a.isPrimary
  // ASSET_CLASSES is in the order of preference.
  const classes = ASSET_CLASSES.indexOf(a.assetClass) - ASSET_CLASSES.indexOf(b.assetClass)
  return classes === 0 ? a.assetId < b.assetId : classes < 0
}

/** What an identifier service says of a ticker; null where it does not say. */
export interface ResolvedInstrument {
  readonly figi: Figi
  readonly name: string
  readonly assetClass: AssetClass | null
  readonly isin: Isin | null
  readonly mic: Mic | null
  readonly currency: CurrencyCode | null
}

/** An identifier service's answer as it is kept. */
export interface IdentifierAnswer {
  readonly ticker: Ticker
  /** Null: the service knows no instrument of that ticker. */
  readonly found: ResolvedInstrument | null
  readonly answeredAt: Date
  /** Id of the provider that answered, e.g. openfigi. */
  readonly source: string
}

/** Time that a caller waits for the identifier service at most (API contract, discover). */
export const IDENTIFIER_BUDGET_MS = 2_000

/** A FIGI is permanent; a month bounds how long a changed name or a ticker given to another goes unseen. */
export const FOUND_KEPT_MS = 30 * DAY_MS

/** A new listing is found the day after at the latest. */
export const UNKNOWN_KEPT_MS = DAY_MS

/** Bounds what this process asks at once; services admit some 25 questions a minute. */
export const MAX_ASKS_IN_FLIGHT = 32

/** Tickers an account may have asked of the service per clock hour, answered or not; it admits some 1,500 of all accounts. */
export const TICKERS_PER_HOUR = 300

/** Advice to callers where the service itself gives none. */
export const RETRY_AFTER_MS = 30_000

/** Says which instrument goes by a ticker. Asked only for what the own master does not know. */
export interface IdentifierService {
  /** Id of the provider, e.g. openfigi. */
  readonly source: string
  /**
   * Null: no such instrument. Settles within `IDENTIFIER_BUDGET_MS`; throws IdentifierServiceDown when there is no
   * usable answer by then, which never means that the ticker is unknown.
   */
  resolve(ticker: Ticker): Promise<ResolvedInstrument | null>
}

export const identifierService = definePort<IdentifierService>('identifier-service')

/** The identifier service gave no usable answer: out of reach, too slow, throttling, or not making sense. */
export class IdentifierServiceDown extends Error {
  override readonly name = 'IdentifierServiceDown'
  /** How long to wait before another try makes sense, where that is known. */
  readonly retryAfterMs: number | null
  /** False: it is left alone, since it failed repeatedly before. */
  readonly wasAsked: boolean

  constructor(
    message: string,
    facts: { readonly retryAfterMs: number | null; readonly wasAsked: boolean; readonly cause?: unknown },
  ) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.retryAfterMs = facts.retryAfterMs
    this.wasAsked = facts.wasAsked
  }
}

/** A name that a company had. */
export interface FormerName {
  readonly name: string
  /** First day; null: not known. */
  readonly from: IsoDate | null
  /** First day under the name that followed. */
  readonly to: IsoDate
}

/** A company that files with the SEC, as the SEC knows it. */
export interface UsCompany {
  readonly cik: Cik
  readonly name: string
  /** Of all its listed securities, the main one first. */
  readonly tickers: readonly Ticker[]
  /** Left out: the source does not say. */
  readonly formerNames?: readonly FormerName[]
  /** Null, or left out: the source does not say. */
  readonly lei?: Lei | null
}
