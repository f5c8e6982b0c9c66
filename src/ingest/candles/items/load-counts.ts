import { formerTickerNotAsked, type Venue } from '../../../core/consensus/venue-symbols.js'
import { toIsoDate } from '../../../core/time.js'
import { addCounts } from '../../run/add-counts.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../../run/ledger.js'
import type { DatasetCounts } from '../../run/write-dataset.js'
import type { VenueAsset } from '../venue-assets.js'
import type { PatientLane } from './patient-lane.js'
import type { ItemResult, WorkWindow } from './work-window.js'

/** The progress of a run after each window of an asset. */
export interface LoadProgress {
  /** Start of the window, or its end if it begins where stored bars end. */
  readonly at: Date
  readonly slug: string
  /** Windows of assets that are done, and those of them that were requested. */
  readonly done: number
  readonly requested: number
  readonly total: number
  readonly elapsedMs: number
}

/** Old days of an asset for which a venue had no bars, and why it may have some under another ticker. */
export interface FormerDays {
  readonly slug: string
  readonly days: number
  readonly reason: string
}

interface VenueCounts {
  readonly requests: number
  /** Rows of its answers, plus answers that could not be read: bars + rejected + absent. */
  readonly read: number
  readonly bars: number
  readonly rejected: number
  /** Rows outside the window, duplicates, and bars of old days that came in part. */
  readonly absent: number
  /** Items with bars. */
  readonly loaded: number
  /** Items without a bar: before the pair was listed, or without a trade. */
  readonly withoutBars: number
  /** Items whose pair the venue does not list. */
  readonly notListed: number
  /** Items that could not be loaded; the next run requests them. */
  readonly missed: number
}

export interface LoadedVenue extends VenueCounts {
  readonly venue: Venue
  readonly underFormerTicker: readonly FormerDays[]
  /** Why the rest of the run left the venue out; null if it did not. */
  readonly givenUp: string | null
}

export interface LoadSummary {
  /** Windows of assets. */
  readonly windows: number
  /** Those of them that needed no request. */
  readonly skipped: number
  /** Those of them that were left out, because no exchange answered any more. */
  readonly leftOut: number
  readonly venues: readonly LoadedVenue[]
  readonly candles: DatasetCounts
  /** The first rejections of all venues. */
  readonly rejections: readonly Rejection[]
  readonly rejected: number
  readonly absent: number
  /** False if no venue of a window answered any more, so that it was not loaded to its end. */
  readonly isComplete: boolean
  readonly durationMs: number
}

/** Counts the results of the items of a run in constant memory. */
export interface LoadCounts {
  add(window: WorkWindow, asset: VenueAsset, result: ItemResult): void
  written(counts: DatasetCounts): void
  /** Counts a window of an asset and reports progress. */
  progress(window: WorkWindow, slug: string, wasAsked: boolean): LoadProgress
  summary(): Omit<LoadSummary, 'isComplete'>
}

const NOTHING: VenueCounts = {
  ...{ requests: 0, read: 0, bars: 0, rejected: 0, absent: 0 },
  ...{ loaded: 0, withoutBars: 0, notListed: 0, missed: 0 },
}

export function createLoadCounts(lanes: readonly PatientLane[], total: number): LoadCounts {
  const began = performance.now()
  const venues = new Map<Venue, VenueCounts>()
  const formerDays = createFormerDays()
  const rejections: Rejection[] = []
  const counts = { done: 0, requested: 0 }
  let candles: DatasetCounts = { added: 0, revised: 0, unchanged: 0, alsoChanged: 0, removedSeed: 0 }
  const sumOf = (count: (of: VenueCounts) => number) =>
    [...venues.values()].reduce((sum, of) => sum + count(of), 0)
  return {
    add: (window, asset, result) => {
      const { venue, harvest } = result
      const own = countsOf(window, result)
      venues.set(venue, addCounts(venues.get(venue) ?? NOTHING, own))
      if (own.withoutBars > 0 && window.kind === 'old_day') formerDays.note(venue, asset)
      const left = MAX_REJECTIONS_KEPT - rejections.length
      const prefix = window.kind === 'recent' ? venue : `${venue} ${toIsoDate(window.from)}`
      for (const { position, reason } of (harvest?.rejections ?? []).slice(0, left))
        rejections.push({ position: `${prefix}, ${position}`, reason })
    },
    written: (more) => {
      candles = addCounts(candles, more)
    },
    progress: ({ from, to }, slug, wasAsked) => {
      counts.done += 1
      counts.requested += wasAsked ? 1 : 0
      return { at: from ?? to, slug, ...counts, total, elapsedMs: performance.now() - began }
    },
    summary: () => ({
      windows: total,
      skipped: counts.done - counts.requested,
      leftOut: total - counts.done,
      venues: lanes.map(({ venue, givenUp }) => ({
        ...{ venue, givenUp: givenUp(), ...(venues.get(venue) ?? NOTHING) },
        underFormerTicker: formerDays.of(venue),
      })),
      candles,
      rejections,
      rejected: sumOf(({ rejected }) => rejected),
      absent: sumOf(({ absent }) => absent),
      durationMs: Math.round(performance.now() - began),
    }),
  }
}

function countsOf(window: WorkWindow, { kind, harvest }: ItemResult): VenueCounts {
  const all = harvest?.bars.length ?? 0
  const bars = window.kind === 'recent' || kind === 'done' ? all : 0
  return {
    requests: harvest?.requests ?? 0,
    read: harvest?.read ?? 0,
    bars,
    rejected: harvest?.rejections.length ?? 0,
    absent: (harvest?.absent ?? 0) + all - bars,
    loaded: Number(kind === 'done' && bars > 0),
    withoutBars: Number(kind === 'done' && bars === 0),
    notListed: Number(kind === 'not_listed'),
    missed: Number(kind === 'missed'),
  }
}

/** Counts the days without bars of assets whose former ticker is not requested, by venue. */
function createFormerDays() {
  const known = new Map<Venue, Map<string, FormerDays>>()
  return {
    note: (venue: Venue, asset: VenueAsset): void => {
      const former = formerTickerNotAsked(venue, asset)
      if (former === null) return
      const own = known.get(venue) ?? new Map<string, FormerDays>()
      known.set(venue, own)
      const reason = `the day on which ${former} became ${asset.ticker} at ${venue} is not known, so ${former} was not requested`
      own.set(asset.slug, { slug: asset.slug, days: (own.get(asset.slug)?.days ?? 0) + 1, reason })
    },
    of: (venue: Venue): readonly FormerDays[] => [...(known.get(venue)?.values() ?? [])],
  }
}
