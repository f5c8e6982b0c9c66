import { DAY_MS, startOfHour } from '../../../core/time.js'
import type { SeedVintage } from '../../ingestion.js'

/** When the provisional figures became known and when they were revised, in days before the seeding. */
const PROVISIONAL_DAYS = 10
const REVISED_DAYS = 3

export interface VintageTimes {
  readonly provisionalAt: Date
  readonly revisedAt: Date
}

/** The instants at which an empty dataset is filled before the present one. */
export function vintageTimes(now: Date): VintageTimes {
  const daysBefore = (days: number) => new Date(startOfHour(now).getTime() - days * DAY_MS)
  return { provisionalAt: daysBefore(PROVISIONAL_DAYS), revisedAt: daysBefore(REVISED_DAYS) }
}

/** A body with provisional figures, then the same body with revised figures. */
export function provisionalThenRevised(
  now: Date,
  bodyAt: (instant: Date, isProvisional: boolean) => Uint8Array,
): readonly SeedVintage[] {
  const { provisionalAt, revisedAt } = vintageTimes(now)
  return [
    { knownAt: provisionalAt, body: bodyAt(provisionalAt, true) },
    { knownAt: revisedAt, body: bodyAt(revisedAt, false) },
  ]
}
