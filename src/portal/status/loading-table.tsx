import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { formatFigure, formatInstant } from '../parts/format.js'
import { isLoading } from '../parts/is-loading.js'
import { Badge, DataTable } from '../parts/panel.js'
import type { DatasetStatus } from './dataset-rows.js'

/** The overview links to it. The browser cannot scroll to it by itself, because it is not there at first. */
const ANCHOR = 'loading'

/** How far each dataset of a new gateway is, and which ones need a key. Nothing once all that can be loaded are. */
export function LoadingTable({
  datasets,
}: {
  readonly datasets: readonly DatasetStatus[]
}): JSX.Element | null {
  const left = datasets.filter(isLoading).length
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (location.hash === `#${ANCHOR}`) heading.current?.scrollIntoView()
  }, [])
  if (left === 0) return null
  const shown = datasets.filter(({ jobs }) => jobs.length > 0)
  return (
    <>
      <h3 id={ANCHOR} ref={heading}>
        What is loading
      </h3>
      <p>
        {left} of {shown.length} datasets wait for their first real data. After a first start most have them
        within five minutes, long histories take longer. Reload the page to see how far they are.
      </p>
      <DataTable
        label="What is loading"
        columns={['Dataset', 'State', { number: 'Rows' }, 'Last run', 'Next run']}
        isStacked
      >
        {shown.map((dataset) => {
          const { title, last_runs } = dataset
          const { tone, text, keys, startsSoon } = describeLoading(dataset)
          const isOff = nextRun(dataset) === null
          return (
            <tr key={dataset.dataset}>
              <th scope="row">{title}</th>
              <td data-name="State">
                <Badge tone={tone} text={text} />
                {keys.length > 0 && (
                  <span class="quiet">
                    {' '}
                    {isOff ? 'needs' : 'more with'} <code>{keys.join(' or ')}</code>
                  </span>
                )}
              </td>
              <td class="number" data-name="Rows">
                {formatFigure(countRows(dataset), 21)}
              </td>
              <td data-name="Last run">{formatInstant(realRuns(last_runs)[0]?.started_at ?? null)}</td>
              <td data-name="Next run">{startsSoon ? 'soon' : formatInstant(nextRun(dataset))}</td>
            </tr>
          )
        })}
      </DataTable>
      <p class="quiet">
        Rows are those of the newest run of each feed until all are counted, which is once a day. The operator
        sets a key as the setting of that name. Years of crypto prices need no key, and nobody else gives them
        away with their inputs: <code>npm run ingest -- candles --from 2020-01-01</code> computes them beside
        the newest ones. <a href="/docs/guides/live-data">Live data</a>
      </p>
    </>
  )
}

const realRuns = (runs: DatasetStatus['last_runs']) => runs.filter(({ source }) => source !== 'seed')

function countRows({ rows, is_dev_dataset, last_runs }: DatasetStatus): number {
  if (rows !== null && is_dev_dataset !== true) return rows
  return realRuns(last_runs).reduce((sum, { rows_changed }) => sum + rows_changed, 0)
}

/** The soonest run of its jobs; null if all are off. */
function nextRun({ jobs }: DatasetStatus): string | null {
  return jobs.flatMap(({ next_run_at }) => next_run_at ?? []).sort()[0] ?? null
}

interface LoadingState {
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
  readonly text: string
  /** The keys that would bring data, or more of them. */
  readonly keys: readonly string[]
  /** The first run, and the one after a failure, do not wait for the time of the schedule. */
  readonly startsSoon?: true
}

function describeLoading(dataset: DatasetStatus): LoadingState {
  const { jobs, last_runs, last_updated_at, is_dev_dataset } = dataset
  const keys = [...new Set(jobs.flatMap(({ missing_key }) => missing_key ?? []))]
  const [newest] = realRuns(last_runs)
  if (isLoading(dataset)) {
    if (newest?.status === 'failed')
      return { tone: 'warn', text: 'failed, tries again', keys, startsSoon: true }
    if (newest === undefined) return { tone: 'warn', text: 'waits', keys, startsSoon: true }
    return { tone: 'warn', text: 'loads', keys }
  }
  if (last_updated_at !== null && is_dev_dataset !== true) return { tone: 'good', text: 'loaded', keys }
  return { tone: 'quiet', text: nextRun(dataset) === null ? 'off' : 'nothing found', keys }
}
