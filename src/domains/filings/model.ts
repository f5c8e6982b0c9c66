import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Cik } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ filings: 'daily', prices: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** A figure as one filing states it. */
export interface FiledFact {
  readonly cik: Cik
  /** E.g. us-gaap. */
  readonly taxonomy: string
  /** E.g. Revenues. */
  readonly tag: string
  /** As the filing writes it: see `isFactUnit`. */
  readonly unit: string
  /** First day of the period; null: a figure at one day. */
  readonly periodStart: IsoDate | null
  readonly periodEnd: IsoDate
  /** Accession number of the filing. */
  readonly accession: string
  /** Type of the filing, e.g. 10-K. */
  readonly form: string
  readonly filed: IsoDate
  readonly value: DecimalText
}

/**
 * Whether a fact in that unit is kept: a currency (ISO 4217), one of it for each share, or shares. Amounts in other currencies
 * than USD make no figure; they are kept to say why there is none.
 */
export function isFactUnit(unit: string): boolean {
  return /^(?:shares|[A-Z]{3}(?:\/shares)?)$/.test(unit)
}

/** Annual reports, of which each has a fiscal year of its own. */
export const ANNUAL_FORMS: readonly string[] = ['10-K', '10-K/A', '20-F', '20-F/A', '40-F', '40-F/A']

/**
 * Foreign companies state ordinary shares on its cover: what trades in dollars may be a depositary receipt for several of
 * them, or for a part of one.
 */
export const FORMS_OF_ORDINARY_SHARES: readonly string[] = ['20-F', '20-F/A']

/** Reports with financial statements; proxy statements and prospectuses repeat figures, at times rounded. */
export const REPORT_FORMS: readonly string[] = [
  ...ANNUAL_FORMS,
  '10-KT',
  '10-KT/A',
  '10-Q',
  '10-Q/A',
  '6-K',
  '6-K/A',
  '8-K',
  '8-K/A',
]

/** A fiscal year has 52 or 53 weeks, or is a calendar year; both days included. */
export const ANNUAL_DAYS = { min: 350, max: 380 } as const

/** A closing price as traded. */
export interface DailyPrice {
  readonly instrumentId: number
  readonly date: IsoDate
  /** Above zero, of one share, not adjusted for later splits. */
  readonly close: DecimalText
  /** ISO 4217. */
  readonly currency: string
}

/** A listing that prices can be of. */
export interface PricedListing {
  readonly instrumentId: number
  /** Upper case. */
  readonly ticker: string
  /** Null: no market of its own. */
  readonly mic: string | null
}

/** Earlier annual periods of one answer. */
export const PERIOD_LIMITS = { min: 1, max: 20, default: 5 } as const
