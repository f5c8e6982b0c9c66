import { sha256Hex } from '../../core/canonical-json.js'
import type { Venue } from '../../domains/market/model.js'
import type { Database } from '../../platform/database/database.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import { IngestError } from '../feed.js'
import type { VenueAdapter } from '../providers/exchanges/venue-adapter.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../run/ledger.js'
import type { OpenRun } from '../run/run.js'
import { createAskVenue, type VenueHarvest, type VenueQuestion } from './ask-venue.js'

export interface VenueSummary {
  readonly venue: Venue
  readonly runId: string
  /** Failed if none of its answers could be read. */
  readonly status: 'succeeded' | 'failed'
  readonly requests: number
  /** Assets that the venue does not list. */
  readonly notListed: number
  /** Rows of its answers, plus answers that could not be read: added + revised + unchanged + rejected + absent. */
  readonly read: number
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  /** Rows that were not requested, are not final, or equal an earlier one. */
  readonly absent: number
  /** The first rejections. */
  readonly rejections: readonly Rejection[]
  /** Why it got no more requests in this run; null if it answered to the end. */
  readonly out: string | null
  /** Assets that were not requested because the venue did not answer. */
  readonly notAsked: number
  /** The pause that the venue asked for; null without one. */
  readonly retryAfterMs: number | null
}

interface BarTotals {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
}

/**
 * The part of one venue in a run. A venue that does not answer gets no more requests in this run, because each
 * asset would wait for the same time-out.
 */
export interface VenueRun {
  readonly venue: Venue
  readonly isOut: boolean
  /** Null if the venue does not answer and got no request. */
  ask(question: VenueQuestion): Promise<VenueHarvest | null>
  /** Counts the bars that were written. */
  wrote(counts: BarTotals | undefined): void
  /** Closes its row of the ledger. `assets`: the number of assets of the run. */
  close(database: Database, assets: number): Promise<VenueSummary>
}

/** Absent for a ledger row without an adapter. */
export function openVenueRun(
  http: HttpClient,
  run: OpenRun,
  adapter: VenueAdapter | undefined,
): readonly VenueRun[] {
  if (adapter === undefined) return []
  const { venue } = adapter
  const put = createAskVenue(http, adapter)
  const harvests: Omit<VenueHarvest, 'bars'>[] = []
  const counts = { added: 0, revised: 0, unchanged: 0 }
  const isOut = () => harvests.at(-1)?.isOut === true
  return [
    {
      venue,
      get isOut() {
        return isOut()
      },
      ask: async (question) => {
        if (isOut()) return null
        const harvest = await put(question)
        // Bars are written and released one asset at a time.
        const { bars: _, ...facts } = harvest
        harvests.push(facts)
        return harvest
      },
      wrote: (more) => {
        counts.added += more?.added ?? 0
        counts.revised += more?.revised ?? 0
        counts.unchanged += more?.unchanged ?? 0
      },
      close: async (database, assets) => {
        const out = isOut() ? (harvests.at(-1)?.rejections.at(-1)?.reason ?? 'no answer') : null
        const notAsked = assets - harvests.length
        const summary = { venue, runId: run.runId, out, notAsked, ...counts, ...factsOf(harvests) }
        await closeInLedger(run, database, { summary, harvests })
        return summary
      },
    },
  ]
}

function factsOf(harvests: readonly Omit<VenueHarvest, 'bars'>[]) {
  const requests = sum(harvests.map((harvest) => harvest.requests))
  const rejected = harvests.flatMap((harvest) => harvest.rejections)
  const isFailed = requests > 0 && harvests.every((harvest) => harvest.answers === 0)
  const pauses = harvests.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]))
  return {
    status: isFailed ? 'failed' : 'succeeded',
    requests,
    notListed: harvests.filter((harvest) => !harvest.isListed).length,
    read: sum(harvests.map(({ read }) => read)),
    absent: sum(harvests.map(({ absent }) => absent)),
    rejected: rejected.length,
    rejections: rejected.slice(0, MAX_REJECTIONS_KEPT),
    retryAfterMs: pauses.length === 0 ? null : Math.max(...pauses),
  } as const
}

interface Closing {
  readonly summary: VenueSummary
  readonly harvests: readonly Pick<VenueHarvest, 'bodies'>[]
}

async function closeInLedger(
  run: OpenRun,
  database: Database,
  { summary, harvests }: Closing,
): Promise<void> {
  const bodies = harvests.flatMap((harvest) => harvest.bodies)
  run.received({
    sha256: sha256Hex(new TextEncoder().encode(bodies.map(({ sha256 }) => sha256).join(''))),
    bytes: sum(bodies.map(({ bytes }) => bytes)),
  })
  const { status, ...counts } = summary
  if (status === 'failed') await run.fail(new IngestError(counts.rejections[0]?.reason ?? 'no answer'))
  else await run.succeed(database, counts)
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
