import type { JSX } from 'preact'
import { formatDay, formatFigure, formatInstant } from '../parts/format.js'
import { TONES } from '../parts/freshness.js'
import { Badge, DataTable, SyntheticNote } from '../parts/panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'

interface DatasetTable {
  readonly name: string
  readonly columns: readonly {
    readonly name: string
    readonly type: string
    readonly unit: string | null
    readonly description: string
  }[]
}

export interface DatasetRow {
  readonly dataset: string
  readonly title: string
  readonly description: string
  readonly rows: number | null
  readonly since: string | null
  readonly counted_at: string | null
  readonly sources: readonly string[]
  readonly freshness_status: string | null
  readonly last_updated_at: string | null
  readonly is_dev_dataset: boolean | null
  readonly licence: string | null
  readonly attribution: string | null
  readonly version: number
  readonly findings_total: number
  readonly findings: readonly {
    readonly subject: string
    readonly date: string
    readonly sources: readonly string[]
    readonly difference: number
  }[]
  readonly tables: readonly DatasetTable[]
}

const COLUMNS: readonly TableColumn<DatasetRow>[] = [
  {
    name: 'Dataset',
    cell: ({ dataset, title, description }) => (
      <>
        <strong>{title}</strong> <code class="quiet">{dataset}</code>
        <br />
        <span class="quiet">{description}</span>
      </>
    ),
    sortKey: ({ title }) => title,
  },
  {
    name: 'Since',
    cell: ({ since }) => (since === null ? '–' : formatDay(since)),
    sortKey: ({ since }) => since,
  },
  {
    name: 'Rows',
    isNumber: true,
    cell: (row) => (row.rows === null ? explainNoRows(row) : formatFigure(row.rows, 21)),
    sortKey: ({ rows }) => rows,
  },
  {
    name: 'Newest data',
    cell: ({ freshness_status, last_updated_at }) => (
      <>
        <Badge tone={TONES[freshness_status ?? ''] ?? 'quiet'} text={freshness_status ?? 'empty'} />
        <br />
        {formatInstant(last_updated_at)}
      </>
    ),
    sortKey: ({ last_updated_at }) => last_updated_at,
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
  { name: 'Terms and columns', cell: (row) => <Details row={row} /> },
]

function explainNoRows({ last_updated_at }: DatasetRow): string {
  return last_updated_at === null ? '0' : 'not counted yet'
}

/** Every dataset; on a phone one block per dataset. */
export function DatasetsTable({ datasets }: { readonly datasets: readonly DatasetRow[] }): JSX.Element {
  const [counted] = datasets.flatMap(({ counted_at }) => (counted_at === null ? [] : [counted_at])).sort()
  return (
    <>
      <SortableTable
        label="Datasets"
        columns={COLUMNS}
        rows={datasets}
        keyOf={({ dataset }) => dataset}
        filterText={({ dataset, title, description }) => `${dataset} ${title} ${description}`}
        pageSize={100}
        isStacked
      />
      <p class="quiet">
        Rows are all versions of each fact, counted once a day
        {counted !== undefined && `, last on ${formatInstant(counted)}`}. Identifiers and lists are about no
        day.
      </p>
    </>
  )
}

function Details({ row: { title, licence, attribution, version, tables } }: { readonly row: DatasetRow }) {
  return (
    <details>
      <summary>
        Show<span class="unseen"> terms and columns of {title}</span>
      </summary>
      <p>
        {licence === null ? 'No source states a licence.' : `Licence: ${licence}.`}{' '}
        {attribution !== null && `Credit: ${attribution}.`} Version {version}.
      </p>
      {tables.length === 0 && <p>It is not released, so its columns are not listed.</p>}
      {tables.map(({ name, columns }) => (
        <DataTable
          key={name}
          label={`Columns of ${name}`}
          caption={name}
          columns={['Column', 'Type', 'Meaning']}
        >
          {columns.map((column) => (
            <tr key={column.name}>
              <th scope="row">
                <code>{column.name}</code>
              </th>
              <td>{column.type}</td>
              <td>
                {column.description}
                {column.unit !== null && ` Unit: ${column.unit}.`}
              </td>
            </tr>
          ))}
        </DataTable>
      ))}
    </details>
  )
}
