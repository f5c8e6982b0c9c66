import type { Taken } from '../../src/platform/counters.js'
import type { Group } from '../../src/platform/take-plan.js'
import { TakeQueue } from '../../src/platform/take-queue.js'
import { Tally } from '../../src/platform/tally.js'

/** A store in memory that answers batches of takes when the test lets it; other nodes may take from it meanwhile. */
export interface CounterStore {
  readonly send: (groups: readonly Group[]) => Promise<readonly Taken[]>
  /** Units taken per key. */
  readonly counts: Map<string, number>
  /** Batches so far, in order. */
  readonly batches: readonly (readonly Group[])[]
  /** Batches sent from now on wait until the returned function is called. */
  hold(): () => void
}

/** `before` runs at each batch, when it reaches the store and before it is judged. */
export function openStore(before: (counts: Map<string, number>) => void = () => {}): CounterStore {
  const counts = new Map<string, number>()
  const batches: (readonly Group[])[] = []
  let gate: Promise<void> = Promise.resolve()
  return {
    counts,
    batches,
    send: async (groups) => {
      batches.push(groups)
      await gate
      before(counts)
      return groups.map((group) => takeGroup(counts, group))
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
export function queueOn(store: Pick<CounterStore, 'send'>): TakeQueue {
  return new TakeQueue({
    seen: new Tally(),
    send: store.send,
    instead: (_call, error) => {
      throw error
    },
  })
}

function takeGroup(counts: Map<string, number>, group: Group): Taken {
  // A plain look does not know of the floor, as with PostgreSQL.
  const stands = group.map(({ key, floor, quota }) =>
    Math.max(counts.get(key) ?? 0, quota === null ? 0 : floor),
  )
  const accepted = group.every(
    ({ units, quota }, index) => quota === null || (stands[index] ?? 0) + units <= quota,
  )
  if (!accepted || group.every(({ quota }) => quota === null)) return { accepted, used: stands }
  const used = group.map(({ units }, index) => (stands[index] ?? 0) + units)
  group.forEach(({ key }, index) => {
    counts.set(key, used[index] ?? 0)
  })
  return { accepted, used }
}
