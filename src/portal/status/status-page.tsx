import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { formatDuration, formatInstant, formatQuantity } from '../parts/format.js'
import { Badge, DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import { DatasetRows, type DatasetStatus } from './dataset-rows.js'
import { LAST_RUNS } from './dataset-run.js'
import { InterfacesPanel } from './interfaces-panel.js'
import { LoadingTable } from './loading-table.js'

const SHOWN_INCIDENTS = 50

const QUERY = {
  document: `query Status {
  datasets {
    data {
      dataset title rows freshness_status last_updated_at next_refresh_at is_dev_dataset
      jobs { job next_run_at missing_key }
      days { date outcome }
      ${LAST_RUNS}
    }
  }
  incidents(limit: ${SHOWN_INCIDENTS}) {
    total
    data { dataset kind feed source started_at ended_at failed_runs cause }
  }
}`,
  variables: {},
  rest: [restGet('/v1/datasets'), restGet('/v1/incidents', { limit: SHOWN_INCIDENTS })],
  restNote: 'The days are in GraphQL only.',
}

interface Incident {
  readonly dataset: string
  readonly kind: 'runs_failed' | 'data_late'
  readonly feed: string | null
  readonly source: string | null
  readonly started_at: string
  readonly ended_at: string | null
  readonly failed_runs: number | null
  readonly cause: 'provider' | 'data' | 'gateway' | null
}

interface Answer {
  readonly datasets: { readonly data: readonly DatasetStatus[] }
  readonly incidents: { readonly data: readonly Incident[]; readonly total: number }
}

/** Whether the interfaces answer, how the runs of each dataset ended, and the incidents of the last 90 days. */
export function StatusPage(): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Status</h1>
        <p>
          The interfaces as your browser finds them now, and the datasets as the records of the gateway show
          them. Monitors get the datasets as JSON from <code>/status</code>.
        </p>
      </div>
      <InterfacesPanel />
      <QueryPanel<Answer> title="Datasets and incidents" isWide isOpen query={QUERY}>
        {({ datasets, incidents }) => (
          <>
            <LoadingTable datasets={datasets.data} />
            <DatasetRows datasets={datasets.data} />
            <Incidents incidents={incidents.data} total={incidents.total} datasets={datasets.data} />
          </>
        )}
      </QueryPanel>
    </>
  )
}

interface IncidentsProps {
  readonly incidents: readonly Incident[]
  readonly total: number
  readonly datasets: readonly DatasetStatus[]
}

function Incidents({ incidents, total, datasets }: IncidentsProps): JSX.Element {
  const titles = new Map(datasets.map(({ dataset, title }) => [dataset, title]))
  return (
    <>
      <h3>Incidents of the last 90 days</h3>
      <p class="quiet">
        An incident lasts from the first run of a feed that failed to the end of the next one that succeeded,
        or as long as newer data are late. The stored data are served meanwhile.
      </p>
      {incidents.length === 0 ? (
        <p>No incident is recorded.</p>
      ) : (
        <DataTable
          label="Incidents"
          caption={total > incidents.length ? `The newest ${incidents.length} of ${total}` : undefined}
          columns={['Affected', 'Start', 'End', 'Reason']}
          isStacked
        >
          {incidents.map((incident) => (
            <tr key={`${incident.dataset} ${incident.feed} ${incident.started_at}`}>
              <th scope="row">
                <strong>{titles.get(incident.dataset) ?? incident.dataset}</strong>
                {incident.feed !== null && <span class="quiet"> {incident.feed}</span>}
              </th>
              <td data-name="Start">{formatInstant(incident.started_at)}</td>
              <td data-name="End">
                {incident.ended_at === null ? (
                  <Badge tone="bad" text="lasts" />
                ) : (
                  `${formatInstant(incident.ended_at)}, after ${formatDuration(incident.started_at, incident.ended_at)}`
                )}
              </td>
              <td data-name="Reason">{explainIncident(incident)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </>
  )
}

const CAUSES = {
  provider: 'the provider did not answer, or refused',
  data: 'what the provider sent could not be used',
  gateway: 'the gateway failed',
} as const

function explainIncident({ kind, failed_runs, cause }: Incident): string {
  if (kind === 'data_late' || failed_runs === null) return 'Newer data are late.'
  return `${formatQuantity(failed_runs, 'run')} failed: ${cause === null ? 'the reason is not recorded' : CAUSES[cause]}.`
}
