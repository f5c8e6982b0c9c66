import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { QueryPanel } from '../parts/query-panel.js'
import { LAST_RUNS } from './dataset-run.js'
import { type DatasetRow, DatasetsTable } from './datasets-table.js'
import { LateDatasets } from './late-datasets.js'

const DATASETS = `query Datasets {
  datasets {
    data {
      dataset version sources freshness_status last_updated_at next_refresh_at is_dev_dataset licence
      ${LAST_RUNS}
    }
  }
}`

const QUERY = { document: DATASETS, variables: {}, rest: [restGet('/v1/datasets')] }

/** How old every dataset is, and which are late. */
export function DataPage(): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Data freshness</h1>
        <p>
          A dataset is <strong>fresh</strong> until its next refresh is due, <strong>stale</strong> after
          that, and <strong>expired</strong> once its data are older than three refresh intervals. This page
          is open and free of charge. Monitors get the same as JSON from <code>/status</code>.
        </p>
      </div>
      <QueryPanel<{ readonly datasets: { readonly data: readonly DatasetRow[] } }>
        title="Datasets"
        isWide
        isOpen
        query={QUERY}
      >
        {({ datasets: { data } }) => (
          <>
            <LateDatasets datasets={data} />
            <DatasetsTable datasets={data} />
          </>
        )}
      </QueryPanel>
    </>
  )
}
