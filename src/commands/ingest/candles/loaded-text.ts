import type { LoadSummary } from '../../../ingest/candles/items/load-counts.js'
import { table } from '../../admin/table.js'

/** The results of a run by exchange, with the first reasons. */
export function loadedText(run: LoadSummary): string {
  const { windows, skipped, venues, rejections, rejected, candles } = run
  const results = table(
    [
      ...['venue', 'requests', 'rows', 'bars', 'rejected', 'absent'],
      ...['loaded', 'without bars', 'not listed', 'missed'],
    ],
    venues.map((of) => [
      ...[of.venue, of.requests, of.read, of.bars, of.rejected, of.absent],
      ...[of.loaded, of.withoutBars, of.notListed, of.missed],
    ]),
    'no venue was used',
  )
  const former = venues.flatMap(({ venue, underFormerTicker }) =>
    underFormerTicker.map(
      ({ slug, days, reason }) => `${venue} has no bars of ${slug} on ${days} days: ${reason}\n`,
    ),
  )
  const givenUp = venues.flatMap(({ venue, givenUp: reason }) =>
    reason === null ? [] : `${venue} was given up: ${reason}\n`,
  )
  const reasons = rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const more = rejected > rejections.length ? `  and ${rejected - rejections.length} more\n` : ''
  const isMissing = !run.isComplete || venues.some(({ missed }) => missed > 0)
  const leftOut =
    run.leftOut > 0 ? `${run.leftOut} windows of assets were left out, because no venue answers\n` : ''
  const next = isMissing ? 'Run the same command again to load only what is missing.\n' : ''
  const seed = candles.removedSeed > 0 ? `; ${candles.removedSeed} seed candles removed` : ''
  const seconds = (run.durationMs / 1000).toFixed(1)
  return [
    `Windows of assets: ${windows}, of which ${skipped} were already complete\n${results}`,
    ...[...former, ...givenUp, leftOut, ...reasons, more],
    `\ncandles: ${candles.added} added, ${candles.revised} revised, ${candles.unchanged} unchanged${seed} (${seconds} s)\n${next}`,
  ].join('')
}
