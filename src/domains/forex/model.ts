import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { CurrencyCode } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ forex: 'forex' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The only base of published rates: the ECB publishes units of a currency per 1 EUR. All other rates are derived. */
export const FOREX_BASE = 'EUR'

/** One euro reference rate: units of `quote` per 1 EUR, as published. */
export interface Rate {
  readonly quote: CurrencyCode
  readonly date: IsoDate
  /** Above zero, at most 12 digits before the point and 8 after it. */
  readonly rate: DecimalText
}

/** A currency with an ISO 4217 code. */
export interface Currency {
  readonly code: string
  /** English name, ISO 4217 list one. */
  readonly name: string
}

/**
 * The 30 currencies with a euro reference rate at the end of 2025. The data shows which of them are still quoted and when
 * one ended. A currency that is missing here is stored and served too.
 */
export const FOREX_CURRENCIES: readonly Currency[] = [
  { code: 'AUD', name: 'Australian Dollar' },
  { code: 'BGN', name: 'Bulgarian Lev' },
  { code: 'BRL', name: 'Brazilian Real' },
  { code: 'CAD', name: 'Canadian Dollar' },
  { code: 'CHF', name: 'Swiss Franc' },
  { code: 'CNY', name: 'Yuan Renminbi' },
  { code: 'CZK', name: 'Czech Koruna' },
  { code: 'DKK', name: 'Danish Krone' },
  { code: 'GBP', name: 'Pound Sterling' },
  { code: 'HKD', name: 'Hong Kong Dollar' },
  { code: 'HUF', name: 'Forint' },
  { code: 'IDR', name: 'Rupiah' },
  { code: 'ILS', name: 'New Israeli Sheqel' },
  { code: 'INR', name: 'Indian Rupee' },
  { code: 'ISK', name: 'Iceland Krona' },
  { code: 'JPY', name: 'Yen' },
  { code: 'KRW', name: 'Won' },
  { code: 'MXN', name: 'Mexican Peso' },
  { code: 'MYR', name: 'Malaysian Ringgit' },
  { code: 'NOK', name: 'Norwegian Krone' },
  { code: 'NZD', name: 'New Zealand Dollar' },
  { code: 'PHP', name: 'Philippine Peso' },
  { code: 'PLN', name: 'Zloty' },
  { code: 'RON', name: 'Romanian Leu' },
  { code: 'SEK', name: 'Swedish Krona' },
  { code: 'SGD', name: 'Singapore Dollar' },
  { code: 'THB', name: 'Baht' },
  { code: 'TRY', name: 'Turkish Lira' },
  { code: 'USD', name: 'US Dollar' },
  { code: 'ZAR', name: 'Rand' },
]
