import { CONSENSUS_METHOD } from '../../core/consensus/consensus.js'
import { derivedMeta } from '../../core/disclaimer.js'

/** The members of `meta` for every consensus price. */
export function consensusMeta(computedAt: Date) {
  return { ...derivedMeta(CONSENSUS_METHOD, computedAt), price_type: 'consensus_vwap' }
}
