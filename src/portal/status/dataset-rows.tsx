import type { JSX } from 'preact'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatInstant } from '../parts/format.js'
import type { LoadedDataset } from '../parts/is-loading.js'
import { Badge, DataTable } from '../parts/panel.js'
import { explainByRuns } from './dataset-run.js'
import { DayBar, type StatusDay } from './day-bar.js'

export interface DatasetStatus extends LoadedDataset {
  readonly dataset: string
  readonly title: string
  readonly rows: number | null
  readonly freshness_status: string | null
  readonly next_refresh_at: string | null
  readonly days: readonly StatusDay[]
}

/** The state of each dataset and its last 90 days. */
export function DatasetRows({ datasets }: { readonly datasets: readonly DatasetStatus[] }): JSX.Element {
  const states = datasets.map((dataset) => ({ dataset, ...describeState(dataset) }))
  const late = states.filter(({ tone }) => tone === 'warn' || tone === 'bad')
  return (
    <>
      <p>
        {late.length === 0
          ? 'No dataset is late.'
          : `${late.length} of ${datasets.length} datasets ${late.length === 1 ? 'is' : 'are'} late.`}
      </p>
      <DataTable
        label="Datasets"
        columns={['Dataset', 'State', `${formatDay(daysAgo(89))} to today`, 'Last run']}
        isStacked
      >
        {states.map(({ dataset, tone, text, reason }) => (
          <tr key={dataset.dataset}>
            <th scope="row">{dataset.title}</th>
            <td data-name="State">
              <Badge tone={tone} text={text} />
              {reason !== null && (
                <>
                  <br />
                  <span class="quiet">{reason}</span>
                </>
              )}
            </td>
            <td data-name="Last 90 days">
              <DayBar days={dataset.days} name={dataset.title} />
            </td>
            <td data-name="Last run">{formatInstant(dataset.last_runs[0]?.started_at ?? null)}</td>
          </tr>
        ))}
      </DataTable>
      <p class="quiet day-bar-legend">
        <span class="succeeded">runs succeeded</span> <span class="partly_failed">some failed</span>{' '}
        <span class="failed">all failed</span> <span class="none">nothing recorded</span>
      </p>
    </>
  )
}

interface State {
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
  readonly text: string
  readonly reason: string | null
}

function describeState({
  freshness_status,
  next_refresh_at,
  last_updated_at,
  is_dev_dataset,
  jobs,
  last_runs,
}: DatasetStatus): State {
  if (last_updated_at === null) {
    const [key] = jobs.flatMap(({ missing_key }) => missing_key ?? [])
    const needed = key === undefined ? null : `Its operator has not set ${key}.`
    return {
      tone: 'quiet',
      text: 'empty',
      reason: last_runs.length === 0 ? needed : explainByRuns(last_runs),
    }
  }
  if (is_dev_dataset === true) return { tone: 'quiet', text: 'synthetic', reason: null }
  if (freshness_status === 'fresh') return { tone: 'good', text: 'fresh', reason: null }
  return {
    tone: freshness_status === 'expired' ? 'bad' : 'warn',
    text: freshness_status === 'expired' ? 'expired' : 'late',
    reason: `Newer data were due on ${formatInstant(next_refresh_at)}; ${explainByRuns(last_runs)}.`,
  }
}
