import type { JSX } from 'preact'
import { formatFigure, formatInstant } from '../parts/format.js'
import { Badge } from '../parts/panel.js'

/** The newest run of a feed. */
export interface ShownRun {
  readonly feed: string
  readonly source: string
  readonly status: 'running' | 'succeeded' | 'failed'
  readonly started_at: string
  readonly rows_changed: number
  readonly rows_rejected: number
}

/** The members of `DatasetRun` in a query. */
export const LAST_RUNS = 'last_runs { feed source status started_at rows_changed rows_rejected }'

/** The table shows this many runs of a dataset. */
const MAX_SHOWN = 3

const TONES = { running: 'quiet', succeeded: 'good', failed: 'bad' } as const

/** When the feeds of a dataset ran, how that ended, and how many rows changed. */
export function LastRuns({ runs }: { readonly runs: readonly ShownRun[] }): JSX.Element {
  if (runs.length === 0) return <>–</>
  return (
    <ul class="plain-list runs">
      {runs.slice(0, MAX_SHOWN).map((run) => (
        <li key={run.feed}>
          <Badge tone={TONES[run.status]} text={run.status} />{' '}
          <span class="number">{formatInstant(run.started_at)}</span>
          <br />
          <span class="quiet">
            {run.feed}
            {run.status === 'succeeded' && `: ${formatRows(run)}`}
          </span>
        </li>
      ))}
      {runs.length > MAX_SHOWN && <li class="quiet">and {runs.length - MAX_SHOWN} more feeds</li>}
    </ul>
  )
}

function formatRows({ rows_changed, rows_rejected }: ShownRun): string {
  const changed = `${formatFigure(rows_changed)} ${rows_changed === 1 ? 'row' : 'rows'} changed`
  return rows_rejected === 0 ? changed : `${changed}, ${formatFigure(rows_rejected)} refused`
}

/** Why the data of a dataset are not newer, by its newest run. */
export function explainByRuns(runs: readonly ShownRun[]): string {
  const [newest] = runs
  if (newest === undefined) return 'none of its feeds has run yet'
  const at = formatInstant(newest.started_at)
  if (newest.status === 'failed') return `the newest run, on ${at}, failed, and the next one tries again`
  if (newest.status === 'running') return `a run that started on ${at} is loading data`
  return newest.rows_changed === 0
    ? `on ${at} the source had nothing newer`
    : `the run of ${at} loaded what the source had published`
}
