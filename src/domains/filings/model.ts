import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Cik } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ filings: 'daily' })

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
  /** As the filing writes it. See `isFactUnit`. */
  readonly unit: string
  /** First day of the period. Null for a figure on a single day. */
  readonly periodStart: IsoDate | null
  readonly periodEnd: IsoDate
  /** Accession number of the filing. */
  readonly accession: string
  /** Type of the filing, e.g. 10-K. */
  readonly form: string
  readonly filed: IsoDate
  readonly value: DecimalText
}

/** A fact of an annual report. */
export type StatedFact = Omit<FiledFact, 'cik'>

/**
 * Whether a fact in this unit is stored: a currency (ISO 4217), a currency per share, or shares. Amounts in other currencies
 * than USD are not used in figures. They are stored so that the response can say why a figure is null.
 */
export function isFactUnit(unit: string): boolean {
  return /^(?:shares|[A-Z]{3}(?:\/shares)?)$/.test(unit)
}

/** Forms of annual reports. Each covers one fiscal year. */
export const ANNUAL_FORMS: readonly string[] = ['10-K', '10-K/A', '20-F', '20-F/A', '40-F', '40-F/A']

/**
 * Forms whose cover page states ordinary shares of a foreign company. The instrument that trades in dollars may be a
 * depositary receipt for several ordinary shares, or for a part of one.
 */
export const FORMS_OF_ORDINARY_SHARES: readonly string[] = ['20-F', '20-F/A']

/** Forms with financial statements. Proxy statements and prospectuses only repeat figures, sometimes rounded. */
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

/** Length of a fiscal year of 52 or 53 weeks or of a calendar year, both ends included. */
export const ANNUAL_DAYS = { min: 350, max: 380 } as const

/** A period that fundamentals are requested for: a fiscal year, its quarter, or the twelve months to the end of a quarter. */
export type FundamentalsPeriod = 'year' | 'quarter' | 'ttm'

/** Earlier periods per response. */
export const PERIOD_LIMITS = { min: 1, max: 20, default: 5 } as const
