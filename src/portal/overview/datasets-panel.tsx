import type { JSX } from 'preact'
import { useGet } from '../client/use-request.js'
import { type DatasetRow, DatasetsTable } from '../data/datasets-table.js'
import { LoadedView, Panel } from '../parts/panel.js'

/** Shows the freshness of every dataset, without a sign-in. */
export function DatasetsPanel(): JSX.Element {
  const { loaded, reload } = useGet<{ readonly data: readonly DatasetRow[] }>('/v1/datasets', true)
  return (
    <Panel title="Datasets" isWide>
      <LoadedView loaded={loaded} reload={reload}>
        {({ data }) => (
          <>
            <DatasetsTable datasets={data} isBrief />
            <p>
              <a href="/data">Last runs, sources and licences</a>
            </p>
          </>
        )}
      </LoadedView>
    </Panel>
  )
}
