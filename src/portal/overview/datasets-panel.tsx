import type { JSX } from 'preact'
import { useGet } from '../client/use-request.js'
import { formatInstant } from '../parts/format.js'
import { Badge, DataTable, LoadedView, Panel, SyntheticNote } from '../parts/panel.js'

interface Datasets {
  readonly data: readonly {
    readonly dataset: string
    readonly version: number
    readonly sources: readonly string[]
    readonly freshness_status: string | null
    readonly last_updated_at: string | null
    readonly next_refresh_at: string | null
    readonly is_dev_dataset: boolean | null
    readonly licence: string | null
  }[]
}

const TONES: Readonly<Record<string, string>> = { fresh: 'good', stale: 'warn', expired: 'bad' }

/** Shows the freshness of every dataset, without a sign-in. */
export function DatasetsPanel(): JSX.Element {
  const { loaded } = useGet<Datasets>('/v1/datasets', true)
  return (
    <Panel title="Datasets" isWide>
      <LoadedView loaded={loaded}>{({ data }) => <DatasetsTable datasets={data} />}</LoadedView>
    </Panel>
  )
}

function DatasetsTable({ datasets }: { readonly datasets: Datasets['data'] }): JSX.Element {
  return (
    <DataTable
      label="Datasets and their freshness"
      columns={['Dataset', 'Freshness', 'Newest data', 'Next refresh', 'Sources', 'Version', 'Licence']}
    >
      {datasets.map((one) => (
        <tr key={one.dataset}>
          <th scope="row">{one.dataset}</th>
          <td>
            <Badge
              tone={TONES[one.freshness_status ?? ''] ?? 'quiet'}
              text={one.freshness_status ?? 'empty'}
            />
          </td>
          <td>{formatInstant(one.last_updated_at)}</td>
          <td>{formatInstant(one.next_refresh_at)}</td>
          <td>
            {one.sources.filter((source) => source !== 'seed').join(', ')}{' '}
            <SyntheticNote isSynthetic={one.is_dev_dataset} />
          </td>
          <td>{one.version}</td>
          <td>{one.licence}</td>
        </tr>
      ))}
    </DataTable>
  )
}
