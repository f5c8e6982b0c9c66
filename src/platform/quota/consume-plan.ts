import type { CounterCache } from './counter-cache.js'
import { type Charge, type ConsumeResult, type Count, EMPTY_COUNT, usedOf } from './counters.js'

/** One call that waits for the store. */
export interface Call {
  /** A peek only reads; its units and quota are ignored. A refund gives its units back. */
  readonly kind: 'take' | 'peek' | 'refund'
  readonly charges: readonly Charge[]
}

/** The total that the calls of one group charge to and refund on one counter. */
export interface GroupCharge {
  readonly key: string
  /** Whole units to take, at least 0. */
  readonly units: number
  /** Whole units, at least 0, that are given back first, whether or not the charge is accepted. */
  readonly refund: number
  /** The charge may raise the counter to at most this use; null on every charge of a group that charges nothing. */
  readonly quota: number | null
  /** What this node knows of the counter. Its figures only rise, so a store that holds less has lost data. */
  readonly floor: Count
  readonly windowEnd: Date
}

/** Charged together: all of it or nothing. */
export type ConsumeGroup = readonly GroupCharge[]

/** How the store answers a group. */
export interface GroupAnswer {
  readonly accepted: boolean
  /** Per charge, after refunds and, when it was accepted, the take. */
  readonly counts: readonly Count[]
}

export interface Batch<C extends Call> {
  /** Per group its calls, in order of arrival. */
  readonly groups: readonly (readonly C[])[]
  /** Calls that wait for the next batch, in order of arrival. */
  readonly rest: readonly C[]
}

/**
 * Splits waiting calls into at most `maxGroups` groups that may go out together, and the rest. Calls with the same keys
 * share a group; no key is in two groups. A call that shares only some keys with an earlier one waits, and so does every
 * later call that touches a key of a waiting one: no call overtakes another.
 */
export function nextBatch<C extends Call>(waiting: readonly C[], maxGroups: number): Batch<C> {
  const groups: C[][] = []
  const rest: C[] = []
  /** The group that holds the key; null where a waiting call holds it. */
  const holders = new Map<string, C[] | null>()
  for (const call of waiting) {
    const { charges } = call
    const group = holders.get(charges[0]?.key ?? '')
    if (group && charges.every(({ key }) => holders.get(key) === group) && hasKeysOf(call, group[0])) {
      group.push(call)
    } else if (groups.length < maxGroups && !charges.some(({ key }) => holders.has(key))) {
      const opened = [call]
      groups.push(opened)
      for (const { key } of charges) holders.set(key, opened)
    } else {
      rest.push(call)
      for (const { key } of charges) holders.set(key, null)
    }
  }
  return { groups, rest }
}

/** Whether the calls have the same keys in the same order. */
function hasKeysOf(call: Call, other: Call | undefined): boolean {
  if (call.charges === other?.charges) return true
  return (
    call.charges.length === other?.charges.length &&
    call.charges.every(({ key }, index) => key === other.charges[index]?.key)
  )
}

export interface ConsumePlan<C extends Call> {
  /** In order of arrival. */
  readonly calls: readonly C[]
  /** The calls whose units the group charges. */
  readonly taking: ReadonlySet<C>
  readonly group: ConsumeGroup
}

/**
 * Plans one group: all its refunds, and the units of its charges that fit one after the other by the figures known here.
 * The quotas are set so that the store accepts the group only if every one of these charges still fits.
 */
export function planGroup<C extends Call>(calls: readonly C[], seen: CounterCache): ConsumePlan<C> {
  const charges = calls[0]?.charges ?? []
  const floors = charges.map(({ key }) => seen.countOf(key))
  const refunds = refundsOf(calls, charges)
  const before = floors.map((floor, index) => Math.max(0, usedOf(floor) - (refunds[index] ?? 0)))
  const used = [...before]
  /** Per key, how much higher the counter may be than known here: the units that the tightest charge leaves. */
  const spare = charges.map(() => Number.POSITIVE_INFINITY)
  const taking = new Set<C>()
  for (const call of calls) {
    if (call.kind !== 'take' || !takeFrom(used, call)) continue
    taking.add(call)
    call.charges.forEach(({ quota }, index) => {
      spare[index] = Math.min(spare[index] ?? 0, quota - (used[index] ?? 0))
    })
  }
  const group = charges.map(({ key, windowEnd }, index) => {
    const [after, left] = [used[index] ?? 0, spare[index] ?? 0]
    return {
      key,
      windowEnd,
      floor: floors[index] ?? EMPTY_COUNT,
      refund: refunds[index] ?? 0,
      units: after - (before[index] ?? 0),
      quota: Number.isFinite(left) ? after + left : null,
    }
  })
  return { calls, taking, group }
}

/** Whether a charge changes nothing at the store. */
export function isReadOnly({ quota, refund }: GroupCharge): boolean {
  return quota === null && refund === 0
}

/** Per key, the units that the group's refunds give back together. */
function refundsOf(calls: readonly Call[], charges: readonly Charge[]): readonly number[] {
  const refunds = calls.filter(({ kind }) => kind === 'refund')
  return charges.map((_, index) => refunds.reduce((sum, call) => sum + (call.charges[index]?.units ?? 0), 0))
}

/** The results of the calls of an accepted group. */
export interface Verdicts<C extends Call> {
  /** In order of arrival; `counts` are those of the counters after the call alone. */
  readonly answers: readonly {
    readonly call: C
    readonly accepted: boolean
    readonly counts: readonly Count[]
  }[]
  /** Charges that were not sent but fit by the store's figures, because another node gave units back. They are sent again. */
  readonly again: readonly C[]
}

/** The verdicts on a group's calls, given what its counters hold now that the store has accepted it. */
export function toVerdicts<C extends Call>(plan: ConsumePlan<C>, counts: readonly Count[]): Verdicts<C> {
  const { calls, taking, group } = plan
  // Not below the floor: a charge that did not fit must not seem to fit because the store has lost data.
  const before = group.map(({ units, floor }, index) => ({
    charged: Math.max((counts[index]?.charged ?? 0) - units, floor.charged),
    refunded: Math.max(counts[index]?.refunded ?? 0, floor.refunded),
  }))
  const used = before.map(usedOf)
  const countsNow = () =>
    before.map(({ refunded }, index) => ({ charged: (used[index] ?? 0) + refunded, refunded }))
  const answers: Verdicts<C>['answers'][number][] = []
  const again: C[] = []
  for (const call of calls) {
    const isTaken = taking.has(call)
    if (call.kind === 'take' && !isTaken && fits(used, call)) again.push(call)
    else {
      if (isTaken) add(used, call)
      answers.push({ call, accepted: call.kind !== 'take' || isTaken, counts: countsNow() })
    }
  }
  return { answers, again }
}

/** Takes a call's units from counters whose use is `used`, which is changed, or from none. */
function takeFrom(used: number[], call: Call): boolean {
  if (!fits(used, call)) return false
  add(used, call)
  return true
}

function fits(used: readonly number[], { charges }: Call): boolean {
  return charges.every(({ units, quota }, index) => (used[index] ?? 0) + units <= quota)
}

function add(used: number[], { charges }: Call): void {
  charges.forEach(({ units }, index) => {
    used[index] = (used[index] ?? 0) + units
  })
}

/** The result as the caller gets it. */
export function toConsumeResult(accepted: boolean, counts: readonly Count[]): ConsumeResult {
  return { accepted, used: counts.map(usedOf) }
}
