import { METHODOLOGY_TEXT } from '../../core/consensus/consensus.js'
import { derivedMeta } from '../../core/disclaimer.js'

/** The members of `meta` for every consensus price. */
export function consensusMeta(computedAt: Date) {
  return { ...derivedMeta(METHODOLOGY_TEXT, computedAt), price_type: 'consensus_vwap' }
}
