import { startOfMinute } from '../../../core/time.js'
import { barsKeptFrom, CONSENSUS_VENUES } from '../../../ingest/datasets/market/candles-policy.js'
import { oldDays } from '../../../ingest/venues/backfill/run-backfill.js'
import { type CandleRunSummary, runVenues } from '../../../ingest/venues/run-venues.js'
import { table } from '../../admin/table.js'
import { UsageError } from '../../usage-error.js'
import type { Options, Outcome, World } from '../command.js'
import { backfillText, backfillVenues } from './backfill.js'
import { loadVenueAssets, parseInstantOption, parseVenues } from './candle-options.js'
import { candleCountsText, rejectionsText } from './candle-texts.js'

/**
 * Runs `candles`, which loads one-minute bars from the venues and computes candles. Days whose bars are no longer kept are
 * backfilled.
 */
export async function ingestCandles(world: World, options: Options): Promise<Outcome> {
  if (options.files.length > 0)
    throw new UsageError('candles has no option --file; use candles-archive for files')
  const now = world.clock.now()
  const from = options.from === null ? null : parseInstantOption('--from', options.from)
  const to = options.to === null ? startOfMinute(now) : parseInstantOption('--to', options.to)
  if (from !== null && from >= to) throw new UsageError('--from must be before --to')
  const keptFrom = barsKeptFrom(now)
  if (from === null || from >= keptFrom) return ingestRecent(world, options, { from, to })
  const old = await backfillVenues(world, options, oldDays(from, to, now))
  if (to <= keptFrom || !old.isComplete) {
    return { summary: { backfill: old }, text: backfillText(old), isEmpty: !old.isComplete }
  }
  const recent = await ingestRecent(world, options, { from: keptFrom, to })
  return {
    summary: { backfill: old, recent: recent.summary },
    text: `${backfillText(old)}\n${recent.text}`,
    isEmpty: recent.isEmpty,
  }
}

async function ingestRecent(
  { database, clock, http, log }: World,
  options: Options,
  span: { readonly from: Date | null; readonly to: Date },
): Promise<Outcome> {
  const adapters = parseVenues(options.venues, CONSENSUS_VENUES)
  const assets = await loadVenueAssets(database, options.assets)
  const summary = await runVenues({ database, clock, http, log }, { assets, ...span, adapters })
  return {
    summary,
    text: candlesText(summary),
    isEmpty: summary.venues.every(({ status }) => status === 'failed'),
  }
}

function candlesText({ venues, candles, durationMs }: CandleRunSummary): string {
  const bars = table(
    [
      ...['venue', 'status', 'requests', 'not listed', 'not requested'],
      ...['added', 'revised', 'unchanged', 'rejected', 'absent'],
    ],
    venues.map((run) => [
      run.venue,
      run.status,
      run.requests,
      run.notListed,
      run.notAsked,
      run.added,
      run.revised,
      run.unchanged,
      run.rejected,
      run.absent,
    ]),
    'no venue was used',
  )
  const rejections = venues.map((run) => rejectionsText(run.venue, run.rejections, run.rejected)).join('')
  return `One-minute bars\n${bars}${rejections}\n${candleCountsText('candles', candles, durationMs)}`
}
