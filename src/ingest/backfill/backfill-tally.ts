import type { Venue } from '../../domains/market/model.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../ledger.js'
import type { DatasetCounts } from '../write-dataset.js'
import type { BackfillProgress, BackfillSummary } from './backfill-summary.js'
import type { PatientAnswer, PatientSource } from './patient-source.js'

/** Counts what a backfill does; memory does not grow with its days. */
export interface BackfillTally {
  answered(venue: Venue, answer: PatientAnswer): void
  written(counts: DatasetCounts): void
  /** Counts a day of an asset and says how far the run is. */
  progress(day: Date, slug: string, wasAsked: boolean): BackfillProgress
  summary(): Omit<BackfillSummary, 'runId' | 'isComplete'>
}

interface VenueCounts {
  requests: number
  bars: number
  notListed: number
  missed: number
}

export function createTally(sources: readonly PatientSource[], total: number): BackfillTally {
  const began = performance.now()
  const venues = new Map<Venue, VenueCounts>(
    sources.map(({ venue }) => [venue, { requests: 0, bars: 0, notListed: 0, missed: 0 }]),
  )
  const candles = { added: 0, revised: 0, unchanged: 0, removedSeed: 0 }
  const rejections: Rejection[] = []
  const counts = { rejected: 0, done: 0, asked: 0 }
  return {
    answered: (venue, { answer, rejections: more, requests }) => {
      const own = venues.get(venue)
      if (own === undefined) throw new Error(`${venue} is not part of the run`)
      own.requests += requests
      if (answer?.kind === 'bars') own.bars += answer.bars.length
      else if (answer?.kind === 'not_listed') own.notListed += 1
      else own.missed += 1
      counts.rejected += more.length
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
      counts.asked += wasAsked ? 1 : 0
      return {
        day,
        slug,
        done: counts.done,
        asked: counts.asked,
        total,
        elapsedMs: performance.now() - began,
      }
    },
    summary: () => ({
      days: total,
      skipped: counts.done - counts.asked,
      venues: sources.map(({ venue, givenUp }) => ({
        venue,
        givenUp,
        ...(venues.get(venue) ?? { requests: 0, bars: 0, notListed: 0, missed: 0 }),
      })),
      candles,
      rejected: counts.rejected,
      rejections,
      durationMs: Math.round(performance.now() - began),
    }),
  }
}
