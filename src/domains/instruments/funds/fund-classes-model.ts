import type { Cik, Ticker } from '../../../core/identifiers.js'
import type { IsoDate } from '../../../core/time.js'

interface FundClassIds {
  /** Never changes, e.g. C000012040. */
  readonly classId: string
  /** The series, whose filings have the holdings, e.g. S000004310. */
  readonly seriesId: string
  /** The registrant, which often has many series. */
  readonly cik: Cik
}

/** A class with a ticker on an exchange. */
export interface ListedFund extends FundClassIds {
  readonly kind: 'listed'
  readonly ticker: Ticker
}

/** A line of the SEC's complete list of funds. */
export type FundLine =
  | ListedFund
  /** A line whose class cannot be read: it may be any stored one. */
  | { readonly kind: 'unreadable' }

/** The name of a class. */
export interface NamedFund extends FundClassIds {
  /** Name of series and class. */
  readonly name: string
}

/** A class that the list of funds has, or had, with a ticker. */
export interface FundClass {
  readonly classId: string
  readonly cik: string
  readonly ticker: string
  /** Null until the yearly list of names has it. */
  readonly name: string | null
  /** Day of the first list without the class. Null while it is listed. */
  readonly unlistedOn: IsoDate | null
  /** Null without an asset. */
  readonly assetId: number | null
}
