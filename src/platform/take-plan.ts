import type { Charge, Taken } from './counters.js'
import type { Tally } from './tally.js'

/** One take or peek that waits for the store. */
export interface Call {
  readonly charges: readonly Charge[]
  /** Looks only: its units and quota play no part. */
  readonly isPeek: boolean
}

/** What the calls of one group want of one counter together. */
export interface GroupCharge {
  readonly key: string
  /** Whole units, at least 0. */
  readonly units: number
  /** Highest count that the take may lead to; null on every charge of a group that only looks. */
  readonly quota: number | null
  /** What is known of the counter already: counts only rise, so a store that holds less has lost data. */
  readonly floor: number
  readonly windowEnd: Date
}

/** Taken as one: all of it or nothing. */
export type Group = readonly GroupCharge[]

export interface Batch<C extends Call> {
  /** Per group its calls, in order of arrival. */
  readonly groups: readonly (readonly C[])[]
  /** What has to wait, in order of arrival. */
  readonly rest: readonly C[]
}

/**
 * Splits waiting calls into at most `maxGroups` groups that may go out together, and the rest. Calls with the same keys
 * share a group; no key is in two groups. A call that shares only some keys with an earlier one waits, and so does every
 * later call that touches a key of a waiting one: nobody overtakes.
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
  return (
    call.charges.length === other?.charges.length &&
    call.charges.every(({ key }, index) => key === other.charges[index]?.key)
  )
}

/**
 * What a group asks of the store: the units of those of its calls that fit one after the other, as far as is known here,
 * with quotas under which the store accepts only if every one of them still fits.
 */
export function planGroup(calls: readonly Call[], seen: Tally): Group {
  const charges = calls[0]?.charges ?? []
  const floors = seen.usedOf(charges)
  const used = [...floors]
  /** Per key, by how much the counter may stand higher than known: what the tightest call leaves. */
  const spare = charges.map(() => Number.POSITIVE_INFINITY)
  for (const call of calls) {
    if (call.isPeek || !takeFrom(used, call)) continue
    call.charges.forEach(({ quota }, index) => {
      spare[index] = Math.min(spare[index] ?? 0, quota - (used[index] ?? 0))
    })
  }
  return charges.map(({ key, windowEnd }, index) => {
    const [floor, stands, room] = [floors[index] ?? 0, used[index] ?? 0, spare[index] ?? 0]
    return {
      key,
      windowEnd,
      floor,
      units: stands - floor,
      quota: Number.isFinite(room) ? stands + room : null,
    }
  })
}

/** The answers of a group's calls, given how its counters stand now that the store has accepted it. */
export function answersOf<C extends Call>(
  calls: readonly C[],
  group: Group,
  usedAfter: readonly number[],
): readonly (readonly [C, Taken])[] {
  // Not below the floor: what was left out of a group must not seem to fit because the store has lost data.
  const used = group.map(({ units, floor }, index) => Math.max((usedAfter[index] ?? 0) - units, floor))
  return calls.map((call) => [call, { accepted: takeFrom(used, call), used: [...used] }])
}

/** Takes a call's units from counters that stand at `used`, which is changed, or from none; a peek takes none. */
function takeFrom(used: number[], { charges, isPeek }: Call): boolean {
  if (isPeek) return true
  const fits = charges.every(({ units, quota }, index) => (used[index] ?? 0) + units <= quota)
  if (!fits) return false
  charges.forEach(({ units }, index) => {
    used[index] = (used[index] ?? 0) + units
  })
  return true
}
