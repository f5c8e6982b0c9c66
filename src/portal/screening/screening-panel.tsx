import type { JSX } from 'preact'
import { formatDay, formatInstant } from '../parts/format.js'
import { Badge } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'

const SCREENING = `query Screening($leis: [String!]!) {
  screen_leis(leis: $leis) {
    data { lei legal_name status is_sanctioned last_listed_date checked_at sanctions_lists programs { key title } }
    lists { list title is_dev_dataset _meta { freshness_status last_updated_at } }
    meta { fetched_at total_requested screened_count not_screened_count invalid_lei_count disclaimer }
  }
}`

interface Result {
  readonly lei: string
  readonly legal_name: string | null
  readonly status: 'screened' | 'not_screened' | 'invalid_lei'
  readonly is_sanctioned: boolean | null
  readonly last_listed_date: string | null
  readonly checked_at: string | null
  readonly sanctions_lists: readonly string[]
  readonly programs: readonly { readonly key: string; readonly title: string }[]
}

interface Screening {
  readonly screen_leis: {
    readonly data: readonly Result[]
    readonly lists: readonly {
      readonly list: string
      readonly title: string
      readonly is_dev_dataset: boolean
      readonly _meta: { readonly freshness_status: string; readonly last_updated_at: string }
    }[]
    readonly meta: {
      readonly fetched_at: string
      readonly total_requested: number
      readonly screened_count: number
      readonly not_screened_count: number
      readonly invalid_lei_count: number
      readonly disclaimer: string
    }
  }
}

const COLUMNS: readonly TableColumn<Result & { readonly position: number }>[] = [
  { name: 'LEI', cell: ({ lei }) => lei, sortKey: ({ lei }) => lei },
  {
    name: 'Legal name',
    cell: ({ legal_name }) => legal_name ?? '–',
    sortKey: ({ legal_name }) => legal_name,
  },
  { name: 'Result', cell: (result) => <ResultBadge result={result} />, sortKey: toResultText },
  { name: 'Lists', cell: ({ sanctions_lists }) => sanctions_lists.join(', ') || '–' },
  { name: 'Programmes', cell: ({ programs }) => programs.map(({ title }) => title).join(', ') || '–' },
  {
    name: 'Last listed',
    cell: ({ last_listed_date }) => (last_listed_date === null ? '–' : formatDay(last_listed_date)),
    sortKey: ({ last_listed_date }) => last_listed_date,
  },
  { name: 'Checked', cell: ({ checked_at }) => formatInstant(checked_at) },
]

/** The results of a screening, with the lists that were searched. */
export function ScreeningPanel({ leis }: { readonly leis: readonly string[] }): JSX.Element {
  return (
    <QueryPanel<Screening>
      title="Results"
      isWide
      query={{
        document: SCREENING,
        variables: { leis },
        rest: [{ method: 'POST', path: '/v1/sanctions/screen', body: { leis } }],
      }}
    >
      {({ screen_leis: { data, lists, meta } }) => (
        <>
          <p>
            {meta.screened_count} of {meta.total_requested} LEIs screened on {formatInstant(meta.fetched_at)};{' '}
            {meta.not_screened_count} not screened, {meta.invalid_lei_count} not valid.
          </p>
          <SortableTable
            label="Results by LEI"
            columns={COLUMNS}
            rows={data.map((result, position) => ({ ...result, position }))}
            keyOf={({ position }) => position}
            pageSize={50}
            isStacked
          />
          <h3>Lists searched</h3>
          <ul class="entries">
            {lists.map(({ list, title, is_dev_dataset, _meta }) => (
              <li key={list}>
                {title}: {_meta.freshness_status}, data of {formatInstant(_meta.last_updated_at)}{' '}
                {is_dev_dataset && <Badge tone="warn" text="synthetic" />}
              </li>
            ))}
          </ul>
          <p class="quiet">{meta.disclaimer}</p>
          <p class="actions">
            <button type="button" class="plain small" onClick={() => print()}>
              Print
            </button>
          </p>
        </>
      )}
    </QueryPanel>
  )
}

function ResultBadge({ result }: { readonly result: Result }): JSX.Element {
  const tone = result.status !== 'screened' ? 'quiet' : result.is_sanctioned ? 'bad' : 'good'
  return <Badge tone={tone} text={toResultText(result)} />
}

function toResultText({ status, is_sanctioned }: Result): string {
  if (status === 'invalid_lei') return 'not a valid LEI'
  if (status === 'not_screened') return 'not screened'
  return is_sanctioned ? 'sanctioned' : 'not sanctioned'
}
