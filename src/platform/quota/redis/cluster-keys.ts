import calculateSlot from 'cluster-key-slot'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import type { Charge } from '../counters.js'

/**
 * Names of counters in a Redis Cluster. The owner in braces is the hash tag: all counters of an account are in one slot, so
 * one script may change them.
 */
export function clusterKey({ key, owner }: Pick<Charge, 'key' | 'owner'>): string {
  return `${hashTag(owner)}:${key}`
}

/** The name of the counter that is stored under a key of `clusterKey`. */
export function counterOfClusterKey(key: string): string {
  return key.slice(key.indexOf('}:') + 2)
}

export function hashTag(owner: string): string {
  return `{${owner}}`
}

/** The charges of a call by their keys in the cluster, and the slot of all of them. */
export interface SlotCharges {
  readonly slot: number
  readonly charges: readonly Charge[]
}

/** The charges of one call have one owner. Computed once per list, because requests of a caller share theirs. */
export const toSlotCharges = memoizeByObject(
  (charges: readonly Charge[]): SlotCharges => ({
    slot: calculateSlot(hashTag(charges[0]?.owner ?? '')),
    charges: charges.map((charge) => ({ ...charge, key: clusterKey(charge) })),
  }),
)
