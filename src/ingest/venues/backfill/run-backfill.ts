import { DAY_MS, startOfDay } from '../../../core/time.js'
import { loadDoneVenues } from '../../../domains/market/backfill-store.js'
import { barsKeptFrom, CONSENSUS_SOURCE } from '../../datasets/market/candles-policy.js'
import { consensusProvider } from '../../datasets/market/ingestion.js'
import { IngestError } from '../../feed.js'
import { type IngestDeps, type OpenRun, runOneInLedger } from '../../run/run.js'
import type { VenueAsset } from '../run-venues.js'
import { stablecoinsFirst } from '../usd-rates.js'
import { type BackfillCounts, createBackfillCounts } from './backfill-counts.js'
import type { BackfillProgress, BackfillSummary } from './backfill-summary.js'
import type { DaySource } from './day-source.js'
import { type RetryingSource, retryingSource, type Wait } from './retrying-source.js'
import { createStoredRates } from './stored-rates.js'
import { writeDay } from './write-day.js'

const FEED = { id: 'candles-backfill', provider: consensusProvider, dataset: 'candles' } as const

export interface BackfillDeps extends IngestDeps {
  readonly wait: Wait
}

export interface BackfillOptions {
  readonly assets: readonly VenueAsset[]
  /** Starts of UTC days whose bars are no longer kept, in the order of the requests. */
  readonly days: readonly Date[]
  readonly sources: readonly DaySource[]
  /** Whether days that are already done are requested again. */
  readonly isAgain: boolean
}

/**
 * Makes hour and day candles of old days from one-minute bars, which are not kept. One transaction per day of an
 * asset writes the candles and notes the venues that are done, so a run that was killed continues where it stopped.
 * Memory holds one day of one asset. Candles do not include a venue without bars of the day. Throws IngestError if
 * the span has no day.
 */
export async function runBackfill(
  deps: BackfillDeps,
  options: BackfillOptions,
  onProgress: (progress: BackfillProgress) => void = () => {},
): Promise<BackfillSummary> {
  if (options.days.length === 0)
    throw new IngestError('the span has no day that is old enough for a backfill')
  const origin = options.sources.map(({ provider }) => provider.url).join(', ')
  return runOneInLedger(deps, { feed: FEED, origin }, async (run) => {
    const sources = options.sources.map((source) => retryingSource(source, deps.wait))
    const tally = createBackfillCounts(sources, options.days.length * options.assets.length)
    await backfillDays(deps, { ...options, sources, tally, onProgress })
    return closeRun(deps, run, tally.summary(), sources)
  })
}

/**
 * The UTC days in [from, to) whose bars are no longer kept. The newest comes first, so that a run that is stopped
 * has extended the stored series without a gap.
 */
export function oldDays(from: Date, to: Date, now: Date): readonly Date[] {
  const firstMs = startOfDay(from).getTime()
  const endMs = Math.min(to.getTime(), barsKeptFrom(now).getTime())
  const count = Math.max(0, Math.ceil((endMs - firstMs) / DAY_MS))
  return Array.from({ length: count }, (_, at) => new Date(firstMs + (count - 1 - at) * DAY_MS))
}

interface Work extends Omit<BackfillOptions, 'sources'> {
  readonly sources: readonly RetryingSource[]
  readonly tally: BackfillCounts
  readonly onProgress: (progress: BackfillProgress) => void
}

async function backfillDays(deps: BackfillDeps, work: Work): Promise<void> {
  const assets = stablecoinsFirst(work.assets)
  const assetIds = assets.map(({ assetId }) => assetId)
  for (const day of work.days) {
    const done = work.isAgain
      ? new Map<number, ReadonlySet<string>>()
      : await loadDoneVenues(deps.database, assetIds, day, CONSENSUS_SOURCE)
    const ratesOf = createStoredRates(deps.database, day)
    for (const asset of assets) {
      const known = done.get(asset.assetId)
      const pending = work.sources.filter(({ venue }) => known?.has(venue) !== true)
      if (pending.length > 0) await backfillDay(deps, { asset, day, pending, ratesOf }, work.tally)
      work.onProgress(work.tally.progress(day, asset.slug, pending.length > 0))
      if (work.sources.every(({ givenUp }) => givenUp !== null)) return
    }
  }
}

async function backfillDay(
  { database, clock }: BackfillDeps,
  {
    asset,
    day,
    pending,
    ratesOf,
  }: {
    readonly asset: VenueAsset
    readonly day: Date
    readonly pending: readonly RetryingSource[]
    readonly ratesOf: ReturnType<typeof createStoredRates>
  },
  tally: BackfillCounts,
): Promise<void> {
  const question = { ...asset, day, now: clock.now() }
  const answered = await Promise.all(
    pending.map(async (source) => {
      const answer = await source.ask(question)
      tally.answered(source.venue, asset, answer)
      return { venue: source.venue, answer: answer.answer }
    }),
  )
  const settled = answered.filter(({ answer }) => answer !== null && answer.kind !== 'incomplete')
  if (settled.length === 0) return
  const bars = settled.flatMap(({ answer }) => (answer?.kind === 'bars' ? answer.bars : []))
  const load = { day, venues: settled.map(({ venue }) => venue), bars }
  // The time of the transaction, not of the run, which may last for days: the candle is known from this instant on.
  const known = { usdRate: await ratesOf(bars), now: clock.now() }
  tally.written(await writeDay(database, asset, load, known))
}

async function closeRun(
  { database, log }: BackfillDeps,
  run: OpenRun,
  counted: Omit<BackfillSummary, 'runId' | 'isComplete'>,
  sources: readonly RetryingSource[],
): Promise<BackfillSummary> {
  const isComplete = sources.some(({ givenUp }) => givenUp === null)
  const summary = { runId: run.runId, ...counted, isComplete }
  const { added, revised, unchanged } = summary.candles
  const { rejected, absent, rejections } = summary
  if (isComplete) await run.succeed(database, { added, revised, unchanged, rejected, absent, rejections })
  else await run.fail(new IngestError(`no venue answers any more: ${sources[0]?.givenUp}`))
  const { rejections: _, ...logged } = summary
  log.info(logged, 'candles backfilled')
  return summary
}
