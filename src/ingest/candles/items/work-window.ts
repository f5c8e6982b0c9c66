import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { DAY_MS, endOfDay, startOfDay } from '../../../core/time.js'
import type { Transaction } from '../../../platform/database/database.js'
import { barsKeptFrom } from '../../datasets/market/candles-policy.js'
import type { DatasetCounts } from '../../run/write-dataset.js'
import type { VenueHarvest } from '../ask-venue.js'
import type { LedgerEntry } from '../lane-ledger.js'
import type { VenueAsset } from '../venue-assets.js'

interface AnyWindow {
  readonly to: Date
  readonly venues: readonly Venue[]
}

/** Work that a command adds: each asset in this window, at each of these exchanges, is an item. */
export type WorkWindow =
  /** Its bars are kept. `from` null: for each item where the stored bars end, at first a day ago. */
  | (AnyWindow & { readonly kind: 'recent'; readonly from: Date | null })
  /** A UTC day whose bars are no longer kept: only its candles are stored. */
  | OldDay

export interface OldDay extends AnyWindow {
  readonly kind: 'old_day'
  readonly from: Date
}

export interface ItemResult {
  readonly venue: Venue
  /**
   * `done`: all bars of the window, perhaps none. `not_listed`: the exchange does not know the pair. `missed`: a part could not
   * be loaded, and the same command asks for it again.
   */
  readonly kind: 'done' | 'not_listed' | 'missed'
  /** The last answers, with the requests of all attempts; null if nothing was asked. */
  readonly harvest: VenueHarvest | null
}

/** A window with what is stored about its assets. */
export interface OpenWindow {
  /** The exchanges whose items are not done yet. */
  pendingOf(asset: VenueAsset): readonly Venue[]
  startOf(asset: VenueAsset, venue: Venue): Date
  /** Writes the results of one asset. */
  write(
    tx: Transaction,
    asset: VenueAsset,
    results: readonly ItemResult[],
    now: Date,
  ): Promise<{ readonly candles: DatasetCounts; readonly entries: readonly LedgerEntry[] }>
}

/**
 * The windows of a span: the newest first, so that a run that is stopped has extended the stored series without a gap. Old days
 * have their own exchanges, because one may serve only new bars.
 */
export function windowsOf(
  { from, to }: { readonly from: Date | null; readonly to: Date },
  venues: { readonly recent: readonly Venue[]; readonly old: readonly Venue[] },
  now: Date,
): readonly WorkWindow[] {
  const keptFrom = barsKeptFrom(now)
  const days = from === null ? [] : oldDays(from, to, now)
  const old = days.map((day) => toOldDay(day, venues.old))
  if (from !== null && to <= keptFrom) return old
  const start = from !== null && from < keptFrom ? keptFrom : from
  return [{ kind: 'recent', from: start, to, venues: venues.recent }, ...old]
}

/** The UTC days in [from, to) whose bars are no longer kept, the newest first. */
export function oldDays(from: Date, to: Date, now: Date): readonly Date[] {
  const firstMs = startOfDay(from).getTime()
  const endMs = Math.min(to.getTime(), barsKeptFrom(now).getTime())
  const count = Math.max(0, Math.ceil((endMs - firstMs) / DAY_MS))
  return Array.from({ length: count }, (_, at) => new Date(firstMs + (count - 1 - at) * DAY_MS))
}

export function toOldDay(day: Date, venues: readonly Venue[]): OldDay {
  return { kind: 'old_day', from: day, to: endOfDay(day), venues }
}
