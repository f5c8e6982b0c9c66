import type { Figi, Isin } from '../../../core/identifiers.js'

/** The answer for an ISIN. */
export interface AskedIsin {
  readonly isin: Isin
  /** Composite FIGI of the United States. Null if the provider does not know the ISIN there. */
  readonly figi: Figi | null
}
