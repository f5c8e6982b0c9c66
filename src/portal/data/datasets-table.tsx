import type { JSX } from 'preact'
import { formatInstant } from '../parts/format.js'
import { TONES } from '../parts/freshness.js'
import { Badge, SyntheticNote } from '../parts/panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'
import { LastRuns, type ShownRun } from './dataset-run.js'

export interface DatasetRow {
  readonly dataset: string
  readonly version: number
  readonly sources: readonly string[]
  readonly freshness_status: string | null
  readonly last_updated_at: string | null
  readonly next_refresh_at: string | null
  readonly is_dev_dataset: boolean | null
  readonly licence: string | null
  /** The newest run of each feed, the newest first. */
  readonly last_runs: readonly ShownRun[]
}

const COLUMNS: readonly TableColumn<DatasetRow>[] = [
  { name: 'Dataset', cell: ({ dataset }) => dataset, sortKey: ({ dataset }) => dataset },
  {
    name: 'Freshness',
    cell: ({ freshness_status }) => (
      <Badge tone={TONES[freshness_status ?? ''] ?? 'quiet'} text={freshness_status ?? 'empty'} />
    ),
    sortKey: ({ freshness_status }) => freshness_status,
  },
  {
    name: 'Newest data',
    cell: ({ last_updated_at }) => formatInstant(last_updated_at),
    sortKey: ({ last_updated_at }) => last_updated_at,
  },
  {
    name: 'Next refresh',
    cell: ({ next_refresh_at }) => formatInstant(next_refresh_at),
    sortKey: ({ next_refresh_at }) => next_refresh_at,
  },
  {
    name: 'Last runs',
    cell: ({ last_runs }) => <LastRuns runs={last_runs} />,
    sortKey: ({ last_runs }) => last_runs[0]?.started_at ?? null,
  },
  {
    name: 'Sources',
    cell: ({ sources, is_dev_dataset }) => (
      <>
        {sources.filter((source) => source !== 'seed').join(', ')}{' '}
        <SyntheticNote isSynthetic={is_dev_dataset} />
      </>
    ),
  },
  { name: 'Version', isNumber: true, cell: ({ version }) => version, sortKey: ({ version }) => version },
  { name: 'Licence', cell: ({ licence }) => licence ?? '–' },
]

/** Name, freshness and times. */
const BRIEF_COLUMNS = COLUMNS.slice(0, 4)

export interface DatasetsTableProps {
  readonly datasets: readonly DatasetRow[]
  /** Leaves out runs, sources and licences. */
  readonly isBrief?: boolean
}

/** Every dataset with its age; on a phone one block per dataset. */
export function DatasetsTable({ datasets, isBrief = false }: DatasetsTableProps): JSX.Element {
  return (
    <SortableTable
      label="Datasets and their freshness"
      columns={isBrief ? BRIEF_COLUMNS : COLUMNS}
      rows={datasets}
      keyOf={({ dataset }) => dataset}
      pageSize={100}
      isStacked
    />
  )
}
