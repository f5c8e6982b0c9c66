import { METHODOLOGY_TEXT } from '../../core/consensus.js'
import { DISCLAIMER_META } from '../../core/disclaimer.js'

/** The members of `meta` that go with every consensus price. */
export const CONSENSUS_META = {
  ...DISCLAIMER_META,
  price_type: 'consensus_vwap',
  data_methodology: METHODOLOGY_TEXT,
} as const
