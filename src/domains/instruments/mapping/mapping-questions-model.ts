import type { Figi } from '../../../core/identifiers.js'

/** The code of OpenFIGI for all markets of the United States together. */
export const UNITED_STATES = 'US'

/** The question which security in the United States has an identifier. */
export interface MappingQuestion {
  readonly scheme: 'ticker' | 'isin'
  readonly value: string
}

export interface MappingAnswer extends MappingQuestion {
  /** Composite FIGI of the United States. Null if the provider does not know the identifier there. */
  readonly figi: Figi | null
}
