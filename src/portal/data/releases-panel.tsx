import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { formatFigure, formatInstant, formatQuantity } from '../parts/format.js'
import { DataTable, SyntheticNote } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'

const SHOWN = 10

const QUERY = {
  document: `query Releases { releases(limit: ${SHOWN}) { data { dataset release_id known_at rows bytes is_dev_dataset } total } }`,
  variables: {},
  rest: [restGet('/v1/releases', { limit: SHOWN })],
}

interface Answer {
  readonly releases: {
    readonly data: readonly {
      readonly dataset: string
      readonly release_id: string
      readonly known_at: string
      readonly rows: number
      readonly bytes: number
      readonly is_dev_dataset: boolean
    }[]
    readonly total: number
  }
}

/** The newest releases. */
export function ReleasesPanel(): JSX.Element {
  return (
    <QueryPanel<Answer> title="Newest releases" query={QUERY}>
      {({ releases: { data, total } }) =>
        data.length === 0 ? (
          <p class="quiet">
            This gateway has published no release. <a href="/docs/guides/releases">What releases are</a>
          </p>
        ) : (
          <DataTable
            label="Newest releases"
            caption={`${data.length} of ${formatQuantity(total, 'release')}`}
            columns={['Release', 'Known at', { number: 'Rows' }, { number: 'Size' }]}
          >
            {data.map(({ dataset, release_id, known_at, rows, bytes, is_dev_dataset }) => (
              <tr key={`${dataset}/${release_id}`}>
                <th scope="row">
                  {dataset}/{release_id} <SyntheticNote isSynthetic={is_dev_dataset} />
                </th>
                <td>{formatInstant(known_at)}</td>
                <td class="number">{formatFigure(rows, 21)}</td>
                <td class="number">{formatFigure(bytes / 1e6, 3)} MB</td>
              </tr>
            ))}
          </DataTable>
        )
      }
    </QueryPanel>
  )
}
