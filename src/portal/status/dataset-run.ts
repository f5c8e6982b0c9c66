import { formatInstant } from '../parts/format.js'
import type { LoadedDataset } from '../parts/is-loading.js'

/** The newest run of a feed. */
export type ShownRun = LoadedDataset['last_runs'][number]

/** The members of `DatasetRun` in a query. */
export const LAST_RUNS = 'last_runs { source status started_at rows_changed }'

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
