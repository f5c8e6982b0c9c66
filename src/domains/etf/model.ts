import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { CurrencyCode, Figi, Isin, Lei, Mic } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ etf: 'etf' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The kinds of holdings that sources distinguish, in words that are common to them. */
export const ASSET_CATEGORIES = [
  'equity',
  'preferred',
  'fund',
  'debt',
  'asset_backed',
  'loan',
  'short_term',
  'repurchase',
  'cash',
  'derivative',
  'structured',
  'commodity',
  'real_estate',
  'other',
] as const

export type AssetCategory = (typeof ASSET_CATEGORIES)[number]

/** One holding of a report. Identifiers are verified. */
export interface EtfHolding {
  readonly name: string
  readonly ticker: string | null
  /** Market of the ticker. */
  readonly mic: Mic | null
  readonly isin: Isin | null
  readonly figi: Figi | null
  readonly lei: Lei | null
  /** Fraction of the fund; negative for a short position. */
  readonly weight: DecimalText
  /** Null for what is not counted in shares. */
  readonly shares: DecimalText | null
  readonly marketValueUsd: DecimalText | null
  readonly assetCategory: AssetCategory | null
  /** ISO 3166-1, two letters. */
  readonly country: string | null
  /** Identifiers that failed their check, e.g. `lei 549300DW2HDK2LFFB779`: texts, and no identifiers. */
  readonly unverified: readonly string[]
}

/** What a source says of a fund as of a day, beside its holdings. */
export interface EtfReportFacts {
  readonly assetId: number
  readonly asOf: IsoDate
  /** When the source published it; null where it does not say. */
  readonly publishedAt: Date | null
  /** Number of the filing at the SEC. */
  readonly accession: string | null
  readonly isAmendment: boolean
  readonly netAssetsUsd: DecimalText | null
  readonly sharesOutstanding: DecimalText | null
  readonly nav: Nav | null
  /** Cash that is not among the holdings, a fraction of net assets. */
  readonly uninvestedCash: DecimalText | null
}

/** Net asset value of one share. */
export interface Nav {
  readonly value: DecimalText
  readonly currency: CurrencyCode
  /** Market values divided by shares outstanding; false: the source states it. */
  readonly isComputed: boolean
}

/** A whole report, the heaviest holding first. */
export interface EtfReport extends EtfReportFacts {
  readonly weightSum: DecimalText
  readonly holdingsCount: number
  /** SHA-256 of facts and holdings. */
  readonly contentHash: string
}

/** A holding with its report; null: the report has none. */
export interface EtfRow {
  readonly report: EtfReport
  /** From 1, the heaviest first. */
  readonly position: number
  readonly holding: EtfHolding | null
}

/** A report whose weights do not sum to about 1, and why it is not served. */
export interface QuarantinedReport {
  readonly report: EtfReport
  readonly reason: string
}

/** Weights that sum to less or more than this are those of a part of a fund, or of several, or no fractions. */
export const WEIGHT_SUM_BOUNDS = { least: '0.95', most: '1.05' } as const

/** A fund has some 20,000 holdings at most; more are no file of one fund. */
export const MAX_HOLDINGS = 50_000

/** What is known of a fund beside its listing; null where it was not verified. */
export interface FundFacts {
  /** Who offers the fund, as its name says. */
  readonly issuer: string | null
  /** Annual fee, a fraction. */
  readonly expenseRatio: number | null
  readonly inceptionDate: IsoDate | null
  /** Series at the SEC, which N-PORT filings name. */
  readonly seriesId: string | null
  /** Where iShares publishes the holdings as CSV. */
  readonly isharesUrl: string | null
  /** Where Xtrackers publishes the holdings as JSON. */
  readonly xtrackersUrl: string | null
  /** Currency that the fund counts its assets in. */
  readonly baseCurrency: CurrencyCode | null
}

/** Brand: three upper-case letters. */
export const USD = 'USD' as CurrencyCode

/** A fund as a feed needs it. */
export interface Fund extends FundFacts {
  readonly assetId: number
  readonly slug: string
  readonly ticker: string
  readonly isin: string | null
  /** Central index key at the SEC, 10 digits; of a fund that is a registrant by itself. */
  readonly cik: string | null
}

/** Currency of the fund's assets: as the table says; funds of the United States count in dollars. Null: not known. */
export function baseCurrencyOf({
  baseCurrency,
  isin,
}: Pick<Fund, 'baseCurrency' | 'isin'>): CurrencyCode | null {
  return baseCurrency ?? (isin?.startsWith('US') ? USD : null)
}
