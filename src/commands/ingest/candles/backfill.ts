import { setTimeout as sleep } from 'node:timers/promises'
import { BACKFILL_VENUES } from '../../../ingest/datasets/market/candles-policy.js'
import type { BackfillSummary } from '../../../ingest/venues/backfill/backfill-summary.js'
import type { DaySource } from '../../../ingest/venues/backfill/day-source.js'
import type { Wait } from '../../../ingest/venues/backfill/retrying-source.js'
import { runBackfill } from '../../../ingest/venues/backfill/run-backfill.js'
import { venueSource } from '../../../ingest/venues/backfill/venue-source.js'
import { table } from '../../admin/table.js'
import type { Options, World } from '../command.js'
import { progressLine } from '../progress-line.js'
import { loadVenueAssets, parseVenues } from './candle-options.js'
import { candleCountsText, rejectionsText } from './candle-texts.js'

/** Backfills old days from the APIs of the venues, and shows the progress on the error output. */
export function backfillVenues(
  world: World,
  options: Options,
  days: readonly Date[],
): Promise<BackfillSummary> {
  const adapters = parseVenues(options.venues, BACKFILL_VENUES)
  const sources = adapters.map((adapter) => venueSource(world.http, adapter))
  return backfillFrom(world, options, days, sources)
}

/** Backfills old days from the given sources. */
export async function backfillFrom(
  { database, clock, log, call }: World,
  { assets: slugs, isAgain }: Options,
  days: readonly Date[],
  sources: readonly DaySource[],
): Promise<BackfillSummary> {
  const assets = await loadVenueAssets(database, slugs)
  const line = progressLine({ isTTY: call.isTerminal, write: call.err })
  const options = { assets, days, sources, isAgain }
  const wait: Wait = (ms, { venue, reason }) => {
    line.note(`${venue} is retried in ${Math.ceil(ms / 1_000)} s: ${reason}`)
    return sleep(ms)
  }
  return runBackfill({ database, clock, log, wait }, options, line.show).finally(line.end)
}

export function backfillText(run: BackfillSummary): string {
  const venues = table(
    [
      'venue',
      'requests',
      'rows',
      'bars',
      'rejected',
      'absent',
      'days not listed',
      'days without bars',
      'days missed',
    ],
    run.venues.map(({ venue, requests, read, bars, rejected, absent, notListed, withoutBars, missed }) => [
      venue,
      requests,
      read,
      bars,
      rejected,
      absent,
      notListed,
      withoutBars,
      missed,
    ]),
    'no venue was used',
  )
  const former = run.venues.flatMap(({ venue, underFormerTicker }) =>
    underFormerTicker.map(
      ({ slug, days, reason }) => `${venue} has no bars of ${slug} on ${days} days: ${reason}\n`,
    ),
  )
  const givenUp = run.venues.map(({ venue, givenUp }) =>
    givenUp === null ? '' : `${venue} was given up: ${givenUp}\n`,
  )
  const isMissing = !run.isComplete || run.venues.some(({ missed }) => missed > 0)
  const next = isMissing ? 'Run the same command again to load only the missing days.\n' : ''
  const head = `Old days: ${run.days}, of which ${run.skipped} were already complete`
  return `${head}\n${venues}${[...former, ...givenUp].join('')}${rejectionsText('venues', run.rejections, run.rejected)}\n${candleCountsText('candles', run.candles, run.durationMs)}${next}`
}
