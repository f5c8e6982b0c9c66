import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { QueryPanel } from '../parts/query-panel.js'
import { type DatasetRow, DatasetsTable } from './datasets-table.js'
import { FindingsTable } from './findings-table.js'
import { ReleasesPanel } from './releases-panel.js'

const DATASETS = `query Datasets {
  datasets {
    data {
      dataset title description rows since counted_at sources freshness_status last_updated_at next_refresh_at
      is_dev_dataset licence attribution version findings_total findings { subject date sources difference }
      tables { name columns { name type unit description } }
    }
  }
}`

const QUERY = {
  document: DATASETS,
  variables: {},
  rest: [restGet('/v1/datasets')],
  restNote: 'The columns of a dataset are in the manifest of each release.',
}

/** The catalogue of datasets: what each has, since when, how much and how new, with terms, columns and releases. */
export function DataPage(): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Datasets</h1>
        <p>
          What this gateway knows, open and free of charge. A dataset is <strong>fresh</strong> until its next
          refresh is due, <strong>stale</strong> after that, and <strong>expired</strong> once its data are
          older than three refresh intervals. <a href="/status">The status</a> says why.
        </p>
      </div>
      <div class="catalogue-room">
        <QueryPanel<{ readonly datasets: { readonly data: readonly DatasetRow[] } }>
          title="Catalogue"
          isWide
          isOpen
          query={QUERY}
        >
          {({ datasets: { data } }) => (
            <>
              <DatasetsTable datasets={data} />
              <FindingsTable datasets={data} />
            </>
          )}
        </QueryPanel>
      </div>
      <ReleasesPanel />
    </>
  )
}
