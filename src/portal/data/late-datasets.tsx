import type { JSX } from 'preact'
import { formatInstant } from '../parts/format.js'
import { explainByRuns } from './dataset-run.js'
import type { DatasetRow } from './datasets-table.js'

/** Says which datasets are late or empty, and why. */
export function LateDatasets({ datasets }: { readonly datasets: readonly DatasetRow[] }): JSX.Element {
  const late = datasets.filter(({ freshness_status }) => freshness_status !== 'fresh')
  const synthetic = late.filter(({ last_runs }) => last_runs[0]?.source === 'seed')
  const others = late.filter((dataset) => !synthetic.includes(dataset))
  if (late.length === 0) return <p>All {datasets.length} datasets are fresh.</p>
  return (
    <>
      <p>
        {datasets.length - late.length} of {datasets.length} datasets are fresh. The others:
      </p>
      <ul class="entries">
        {others.map((dataset) => (
          <li key={dataset.dataset}>
            <strong>{toName(dataset)}</strong>: {explain(dataset)}
          </li>
        ))}
        {synthetic.length > 0 && (
          <li>
            <strong>{synthetic.map(toName).join(', ')}</strong>: synthetic data are not refreshed.
          </li>
        )}
      </ul>
    </>
  )
}

function toName({ dataset }: DatasetRow): string {
  return dataset.replaceAll('_', ' ')
}

function explain({ last_updated_at, next_refresh_at, last_runs }: DatasetRow): string {
  if (last_updated_at === null) {
    return last_runs.length === 0
      ? 'empty, because nothing has been loaded yet.'
      : `empty; ${explainByRuns(last_runs)}.`
  }
  const due = `newer data were due on ${formatInstant(next_refresh_at)}`
  return `${due}; ${explainByRuns(last_runs)}.`
}
