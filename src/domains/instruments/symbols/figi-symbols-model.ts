import type { Figi, Ticker } from '../../../core/identifiers.js'

/** The ticker that a provider gives for a FIGI. */
export interface FigiSymbol {
  readonly figi: Figi
  readonly ticker: Ticker
  readonly name: string
}
