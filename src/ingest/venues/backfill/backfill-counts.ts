import { type BarVenue, formerTickerNotAsked } from '../../../core/consensus/venue-symbols.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../../run/ledger.js'
import type { DatasetCounts } from '../../run/write-dataset.js'
import type { VenueAsset } from '../run-venues.js'
import type { BackfillProgress, BackfillSummary } from './backfill-summary.js'
import type { RetriedAnswer, RetryingSource } from './retrying-source.js'

/** Counts the results of a backfill in constant memory. */
export interface BackfillCounts {
  answered(venue: BarVenue, asset: VenueAsset, answer: RetriedAnswer): void
  written(counts: DatasetCounts): void
  /** Counts a day of an asset and reports progress. */
  progress(day: Date, slug: string, wasAsked: boolean): BackfillProgress
  summary(): Omit<BackfillSummary, 'runId' | 'isComplete'>
}

interface VenueCounts {
  requests: number
  read: number
  bars: number
  rejected: number
  absent: number
  notListed: number
  withoutBars: number
  missed: number
}

const NOTHING: VenueCounts = {
  ...{ requests: 0, read: 0, bars: 0, rejected: 0, absent: 0 },
  ...{ notListed: 0, withoutBars: 0, missed: 0 },
}

/** By slug: the days without bars, and the former ticker. */
type FormerTickers = Map<string, { readonly ticker: string; readonly former: string; days: number }>

export function createBackfillCounts(sources: readonly RetryingSource[], total: number): BackfillCounts {
  const began = performance.now()
  const venues = new Map<BarVenue, VenueCounts>(sources.map(({ venue }) => [venue, { ...NOTHING }]))
  const formerDays = new Map<BarVenue, FormerTickers>(sources.map(({ venue }) => [venue, new Map()]))
  const noteWithoutBars = (venue: BarVenue, { slug, ...asset }: VenueAsset) => {
    const former = formerTickerNotAsked(venue, asset)
    const tally = formerDays.get(venue)
    if (former === null || tally === undefined) return
    const { days } = tally.get(slug) ?? { days: 0 }
    tally.set(slug, { ticker: asset.ticker, former, days: days + 1 })
  }
  const sumOf = (count: (of: VenueCounts) => number) =>
    [...venues.values()].reduce((sum, of) => sum + count(of), 0)
  const candles = { added: 0, revised: 0, unchanged: 0, alsoChanged: 0, removedSeed: 0 }
  const rejections: Rejection[] = []
  const counts = { done: 0, requested: 0 }
  return {
    answered: (venue, asset, { answer, read, rejections: more, absent, requests }) => {
      const own = venues.get(venue)
      if (own === undefined) throw new Error(`${venue} is not part of the run`)
      own.requests += requests
      own.read += read
      own.rejected += more.length
      own.absent += absent
      if (answer?.kind === 'bars') {
        own.bars += answer.bars.length
        if (answer.bars.length === 0) {
          own.withoutBars += 1
          noteWithoutBars(venue, asset)
        }
      } else if (answer?.kind === 'not_listed') own.notListed += 1
      else own.missed += 1
      const left = MAX_REJECTIONS_KEPT - rejections.length
      const named = more.slice(0, left).map((one) => ({ ...one, position: `${venue}, ${one.position}` }))
      rejections.push(...named)
    },
    written: ({ added, revised, unchanged, removedSeed }) => {
      candles.added += added
      candles.revised += revised
      candles.unchanged += unchanged
      candles.removedSeed += removedSeed
    },
    progress: (day, slug, wasAsked) => {
      counts.done += 1
      counts.requested += wasAsked ? 1 : 0
      return {
        day,
        slug,
        done: counts.done,
        requested: counts.requested,
        total,
        elapsedMs: performance.now() - began,
      }
    },
    summary: () => ({
      days: total,
      skipped: counts.done - counts.requested,
      venues: sources.map(({ venue, givenUp }) => ({
        ...{ venue, givenUp, ...(venues.get(venue) ?? NOTHING) },
        underFormerTicker: [...(formerDays.get(venue) ?? [])].map(([slug, { ticker, former, days }]) => ({
          slug,
          days,
          reason: `the day on which ${former} became ${ticker} at ${venue} is not known, so ${former} was not requested`,
        })),
      })),
      candles,
      rejected: sumOf(({ rejected }) => rejected),
      absent: sumOf(({ absent }) => absent),
      rejections,
      durationMs: Math.round(performance.now() - began),
    }),
  }
}
