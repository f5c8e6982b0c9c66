import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { CurrencyCode, Figi, Isin, Lei, Mic } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ etf: 'etf' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The categories of holdings, under names common to all sources. */
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

/** One holding of a report, with verified identifiers. */
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
  /** Null for holdings that are not counted in shares. */
  readonly shares: DecimalText | null
  readonly marketValueUsd: DecimalText | null
  readonly assetCategory: AssetCategory | null
  /** ISO 3166-1, two letters. */
  readonly country: string | null
  /** Identifiers that failed their check, with their kind, e.g. `lei 549300DW2HDK2LFFB779`. Nothing is matched by them. */
  readonly unverified: readonly string[]
}

/** The facts of a report other than its holdings. */
export interface EtfReportHeader {
  readonly assetId: number
  readonly asOf: IsoDate
  /** Time of publication, or null if the source does not state it. */
  readonly publishedAt: Date | null
  /** Accession number of the SEC filing. */
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
  /** True: market values divided by shares outstanding. False: stated by the source. */
  readonly isComputed: boolean
}

/** A whole report, the heaviest holding first. */
export interface EtfReport extends EtfReportHeader {
  readonly weightSum: DecimalText
  readonly holdingsCount: number
  /** SHA-256 of facts and holdings. */
  readonly contentHash: string
}

/** A holding with its report. A report without holdings is one row with `holding` null. */
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

/** A sum of weights outside these bounds means a part of a fund, several funds, or weights that are not fractions. */
export const WEIGHT_SUM_BOUNDS = { least: '0.95', most: '1.05' } as const

/** The largest funds have about 20,000 holdings. A longer file is not that of one fund. */
export const MAX_HOLDINGS = 50_000

/** Facts of a fund that its listing does not have. Null if not verified. */
export interface FundProfile {
  /** The company that offers the fund, taken from the fund's name. */
  readonly issuer: string | null
  /** Annual fee, a fraction. */
  readonly expenseRatio: number | null
  readonly inceptionDate: IsoDate | null
  /** SEC series id, which N-PORT filings name. */
  readonly seriesId: string | null
  /** Address of the holdings as CSV at iShares. */
  readonly isharesUrl: string | null
  /** Address of the holdings as JSON at Xtrackers. */
  readonly xtrackersUrl: string | null
  /** Currency in which the fund states its assets. */
  readonly baseCurrency: CurrencyCode | null
}

/** The cast is safe: three upper-case letters. */
export const USD = 'USD' as CurrencyCode

/** A fund with the facts that feeds need. */
export interface Fund extends FundProfile {
  readonly assetId: number
  readonly slug: string
  readonly ticker: string
  readonly isin: string | null
  /** SEC central index key, 10 digits. Only for a fund that is itself a registrant. */
  readonly cik: string | null
}

/** A fund whose filings are asked for. */
export interface FundToAsk {
  readonly fund: Fund
  /** Whether a list made it. A followed fund is of the reference or the operator. */
  readonly isListed: boolean
}

/** Currency of the fund's assets: the one in the table, USD for funds of the United States, or null if unknown. */
export function baseCurrencyOf({
  baseCurrency,
  isin,
}: Pick<Fund, 'baseCurrency' | 'isin'>): CurrencyCode | null {
  return baseCurrency ?? (isin?.startsWith('US') ? USD : null)
}
