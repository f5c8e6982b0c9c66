import type { ConsumeGroup, GroupAnswer } from '../../../src/platform/quota/consume-plan.js'
import { ConsumeQueue } from '../../../src/platform/quota/consume-queue.js'
import { CounterCache } from '../../../src/platform/quota/counter-cache.js'
import type { Count } from '../../../src/platform/quota/counters.js'

/** A store in memory that answers batches of takes when the test lets it; other nodes may take from it meanwhile. */
export interface CounterStore {
  readonly send: (groups: readonly ConsumeGroup[]) => Promise<readonly GroupAnswer[]>
  /** Units taken per key. */
  readonly counts: Map<string, number>
  /** Units given back per key. */
  readonly refunds: Map<string, number>
  /** Batches so far, in order. */
  readonly batches: readonly (readonly ConsumeGroup[])[]
  /** Batches sent from now on wait until the returned function is called. */
  hold(): () => void
}

/** `before` runs at each batch, when it reaches the store and before it is judged. */
export function openStore(
  before: (counts: Map<string, number>, refunds: Map<string, number>) => void = () => {},
): CounterStore {
  const counts = new Map<string, number>()
  const refunds = new Map<string, number>()
  const batches: (readonly ConsumeGroup[])[] = []
  let gate: Promise<void> = Promise.resolve()
  return {
    counts,
    refunds,
    batches,
    send: async (groups) => {
      batches.push(groups)
      await gate
      before(counts, refunds)
      return groups.map((group) => answerGroup(counts, refunds, group))
    },
    hold: () => {
      let open = () => {}
      gate = new Promise((resolve) => {
        open = resolve
      })
      return open
    },
  }
}

/** A queue that knows of no counter yet; a call whose round trip fails gets the error. */
export function queueOn(store: Pick<CounterStore, 'send'>): ConsumeQueue {
  return new ConsumeQueue({
    seen: new CounterCache(),
    send: store.send,
    instead: (_call, error) => {
      throw error
    },
  })
}

function answerGroup(
  counts: Map<string, number>,
  refunds: Map<string, number>,
  group: ConsumeGroup,
): GroupAnswer {
  const isLook = group.every(({ quota, refund }) => quota === null && refund === 0)
  const held = group.map(({ key, floor, refund }): Count => {
    // A plain look does not know of the floor, as with PostgreSQL.
    const charged = Math.max(counts.get(key) ?? 0, isLook ? 0 : floor.charged)
    const refunded = Math.max(refunds.get(key) ?? 0, isLook ? 0 : floor.refunded)
    return { charged, refunded: Math.min(charged, refunded + refund) }
  })
  const accepted = group.every(({ units, quota }, index) => {
    const { charged, refunded } = held[index] ?? { charged: 0, refunded: 0 }
    return quota === null || charged - refunded + units <= quota
  })
  if (isLook) return { accepted, counts: held }
  const after = group.map(({ key, units, refund }, index) => {
    const { charged, refunded } = held[index] ?? { charged: 0, refunded: 0 }
    const count = { charged: charged + (accepted ? units : 0), refunded }
    if (accepted || refund > 0) {
      counts.set(key, count.charged)
      if (refunded > 0) refunds.set(key, refunded)
    }
    return count
  })
  return { accepted, counts: after }
}
