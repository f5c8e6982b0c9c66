import type { CounterCache } from './counter-cache.js'
import { type Charge, type ConsumeResult, type Count, EMPTY_COUNT, usedOf } from './counters.js'

/** One call that waits for the store. */
export interface Call {
  /** A peek only looks: its units and quota play no part. A refund gives its units back. */
  readonly kind: 'take' | 'peek' | 'refund'
  readonly charges: readonly Charge[]
}

/** What the calls of one group want of one counter together. */
export interface GroupCharge {
  readonly key: string
  /** Whole units to take, at least 0. */
  readonly units: number
  /** Whole units to give back before anything is taken, at least 0: whether or not the take is accepted. */
  readonly refund: number
  /** Highest use that the take may lead to; null on every charge of a group that takes nothing. */
  readonly quota: number | null
  /** What is known of the counter already: its figures only rise, so a store that holds less has lost data. */
  readonly floor: Count
  readonly windowEnd: Date
}

/** Taken as one: all of it or nothing. */
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
  /** What has to wait, in order of arrival. */
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
  /** The group that has the key, or null: a call that waits has it. */
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
  /** The takes whose units the group asks for. */
  readonly taking: ReadonlySet<C>
  readonly group: ConsumeGroup
}

/**
 * What a group asks of the store: all its refunds, and the units of those of its takes that fit one after the other, as
 * far as is known here, with quotas under which the store accepts only if every one of them still fits.
 */
export function planGroup<C extends Call>(calls: readonly C[], seen: CounterCache): ConsumePlan<C> {
  const charges = calls[0]?.charges ?? []
  const floors = charges.map(({ key }) => seen.countOf(key))
  const refunds = refundsOf(calls, charges)
  const before = floors.map((floor, index) => Math.max(0, usedOf(floor) - (refunds[index] ?? 0)))
  const used = [...before]
  /** Per key, by how much the counter may be higher than known: what the tightest take leaves. */
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
export function isLookedAt({ quota, refund }: GroupCharge): boolean {
  return quota === null && refund === 0
}

/** Per key, the units that the group's refunds give back together. */
function refundsOf(calls: readonly Call[], charges: readonly Charge[]): readonly number[] {
  const refunds = calls.filter(({ kind }) => kind === 'refund')
  return charges.map((_, index) => refunds.reduce((sum, call) => sum + (call.charges[index]?.units ?? 0), 0))
}

/** What becomes of the calls of an accepted group. */
export interface Verdicts<C extends Call> {
  /** In order of arrival; `counts` are those of the counters after the call alone. */
  readonly answers: readonly {
    readonly call: C
    readonly accepted: boolean
    readonly counts: readonly Count[]
  }[]
  /** Takes that were left out and fit by the store's figures, since another node gave units back: they go out again. */
  readonly again: readonly C[]
}

/** The verdicts on a group's calls, given what its counters hold now that the store has accepted it. */
export function toVerdicts<C extends Call>(plan: ConsumePlan<C>, counts: readonly Count[]): Verdicts<C> {
  const { calls, taking, group } = plan
  // Not below the floor: what was left out of a group must not seem to fit because the store has lost data.
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

/** A take as its caller gets it. */
export function toConsumeResult(accepted: boolean, counts: readonly Count[]): ConsumeResult {
  return { accepted, used: counts.map(usedOf) }
}
