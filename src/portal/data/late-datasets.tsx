import type { JSX } from 'preact'
import { formatInstant } from '../parts/format.js'
import type { DatasetRow } from './datasets-table.js'

/** Says which datasets are late or empty, and why. */
export function LateDatasets({ datasets }: { readonly datasets: readonly DatasetRow[] }): JSX.Element {
  const late = datasets.filter(({ freshness_status }) => freshness_status !== 'fresh')
  if (late.length === 0) return <p>All {datasets.length} datasets are fresh.</p>
  return (
    <>
      <p>
        {datasets.length - late.length} of {datasets.length} datasets are fresh. The others:
      </p>
      <ul class="entries">
        {late.map((dataset) => (
          <li key={dataset.dataset}>
            <strong>{dataset.dataset.replaceAll('_', ' ')}</strong>: {explain(dataset)}
          </li>
        ))}
      </ul>
    </>
  )
}

function explain({ last_updated_at, next_refresh_at, is_dev_dataset }: DatasetRow): string {
  if (last_updated_at === null) return 'empty, because nothing has been loaded yet.'
  const due = `newer data were due on ${formatInstant(next_refresh_at)}`
  const reason = is_dev_dataset
    ? 'synthetic data are not refreshed'
    : 'the source has published nothing newer, or it could not be reached'
  return `${due}; ${reason}.`
}
