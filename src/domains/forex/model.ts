import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { CurrencyCode } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'
import CURRENCIES from './currencies.json' with { type: 'json' }

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

/** A currency and a publication day. */
export type RateKey = Pick<Rate, 'date'> & { readonly quote: string }

/** The key of a rate as text; all versions of the rate share it. */
export function rateKey({ quote, date }: RateKey): string {
  return `${date} ${quote}`
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
export const FOREX_CURRENCIES: readonly Currency[] = CURRENCIES

const CODES: ReadonlySet<string> = new Set([FOREX_BASE, ...FOREX_CURRENCIES.map(({ code }) => code)])

/** Whether a text is the code, in upper case, of the euro or one of FOREX_CURRENCIES. */
export function isForexCurrency(text: string): boolean {
  return CODES.has(text)
}
