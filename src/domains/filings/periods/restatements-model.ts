import { decimal } from '../../../core/decimal.js'
import { daysBetween, type IsoDate } from '../../../core/time.js'
import type { StatedFact } from '../model.js'

/**
 * The filings of one fiscal year restate together: from the report of the first quarter to the annual report, whose deadlines are
 * about 320 days apart. The next fiscal year begins to report after 365 days.
 */
const SAME_RESTATEMENT_DAYS = 330

/** Filers round to thousands, to hundreds of thousands or to millions. */
const ROUNDING_UNITS = [1_000, 10_000, 100_000, 1_000_000] as const

/** The latest amount that filings state for a period. */
export interface Copies {
  readonly latest: StatedFact
  /** Day of the first filing since which the amount is the same, but for rounding. */
  readonly sameSince: IsoDate
}

/** The copies of one period, in the order of filing. */
export function readCopies(copies: readonly StatedFact[]): Copies | null {
  const latest = copies.at(-1)
  if (latest === undefined) return null
  let sameSince = latest.filed
  for (const copy of copies.toReversed()) {
    if (!isSameAmount(copy, latest)) break
    sameSince = copy.filed
  }
  return { latest, sameSince }
}

/** The days on which each restatement of a tag began. `periods` has the copies of each period, in the order of filing. */
export function findRestatements(periods: Iterable<readonly StatedFact[]>): readonly IsoDate[] {
  const days: IsoDate[] = []
  for (const copies of periods)
    for (const [at, copy] of copies.entries()) {
      const before = copies[at - 1]
      if (before !== undefined && !isSameAmount(before, copy)) days.push(copy.filed)
    }
  const begun: IsoDate[] = []
  for (const day of days.toSorted()) {
    const last = begun.at(-1)
    if (last === undefined || daysBetween(last, day) > SAME_RESTATEMENT_DAYS) begun.push(day)
  }
  return begun
}

/** Two amounts of one tag of which only one has been restated. */
export interface MixedBasis {
  /** Day of the filing in which the restatement began. */
  readonly restatedOn: IsoDate
  /** An amount that no filing states since then. */
  readonly before: Copies
  /** An amount that differs, or is stated only, since then. */
  readonly after: Copies
}

/**
 * Finds two amounts of one tag with different bases. An amount has a basis if a filing states it between the beginning of one
 * restatement and that of the next one. An amount that two filings state alike, before and after a restatement, has both bases.
 */
export function findMixedBasis(
  amounts: readonly Copies[],
  restatements: readonly IsoDate[],
): MixedBasis | null {
  const basisOn = (day: IsoDate) => restatements.filter((begun) => begun <= day).length
  const [first, ...others] = amounts
  if (first === undefined) return null
  const after = others.reduce((newest, one) => (one.sameSince > newest.sameSince ? one : newest), first)
  const before = others.reduce(
    (oldest, one) => (one.latest.filed < oldest.latest.filed ? one : oldest),
    first,
  )
  const restatedOn = restatements[basisOn(after.sameSince) - 1]
  if (restatedOn === undefined || basisOn(before.latest.filed) >= basisOn(after.sameSince)) return null
  return { restatedOn, before, after }
}

/** Whether a later filing states the same amount, rounds it, or rounds it to the other side. */
function isSameAmount(earlier: StatedFact, later: StatedFact): boolean {
  const difference = decimal(earlier.value).minus(later.value).abs()
  const unit = roundingUnit(later)
  const isRoundedAlike = decimal(earlier.value).mod(Math.max(unit, 1)).isZero()
  return difference.lte(isRoundedAlike ? unit : unit / 2)
}

/** The largest unit to which an amount is rounded; 0 for an exact one and for none. */
export function roundingUnit({ value }: StatedFact): number {
  const amount = decimal(value)
  return amount.isZero() ? 0 : (ROUNDING_UNITS.findLast((unit) => amount.mod(unit).isZero()) ?? 0)
}
