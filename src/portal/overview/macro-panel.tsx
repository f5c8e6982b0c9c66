import type { JSX } from 'preact'
import { useCallback, useMemo } from 'preact/hooks'
import { runQuery } from '../client/request.js'
import { useLoaded } from '../client/use-request.js'
import { Chart } from '../parts/chart.js'
import { formatFigure, formatInstant } from '../parts/format.js'
import { DataTable, LoadedView, Panel, SyntheticNote } from '../parts/panel.js'

/** The table shows this many of the newest observations. */
const LISTED_COUNT = 6

const SERIES = `query CreditInTheUnitedStates {
  bis_series(dataset_code: "WS_TC", series_key: "Q.US.P.A.M.770.A", limit: 500) {
    meta { is_dev_dataset country_name dataset { name unit } }
    data { period value revisions { value known_from is_withdrawn } }
  }
}`

interface Observation {
  readonly period: string
  readonly value: number | null
  readonly revisions: readonly {
    readonly value: number | null
    readonly known_from: string
    readonly is_withdrawn: boolean
  }[]
}

interface Series {
  readonly bis_series: {
    readonly meta: {
      readonly is_dev_dataset: boolean
      readonly country_name: string
      readonly dataset: { readonly name: string; readonly unit: string }
    }
    readonly data: readonly Observation[]
  }
}

/** A macro series with the revisions of its newest observations. */
export function MacroPanel(): JSX.Element {
  const { loaded } = useLoaded(useCallback(() => runQuery<Series>(SERIES, {}), []))
  return (
    <Panel title="United States: credit to the private sector" isWide>
      <LoadedView loaded={loaded}>{({ bis_series }) => <SeriesChart series={bis_series} />}</LoadedView>
    </Panel>
  )
}

function SeriesChart({ series: { meta, data } }: { readonly series: Series['bis_series'] }): JSX.Element {
  const times = useMemo(() => data.map(({ period }) => quarterStartMs(period) / 1000), [data])
  const values = useMemo(() => data.map(({ value }) => value), [data])
  const last = data.at(-1)
  if (last === undefined) return <p class="quiet">No observations yet.</p>
  const revised = data.filter(({ revisions }) => revisions.length > 1).length
  return (
    <>
      <p class="headline">
        <strong>{formatFigure(last.value)}</strong> {meta.dataset.unit}{' '}
        <SyntheticNote isSynthetic={meta.is_dev_dataset} />
      </p>
      <Chart
        times={times}
        values={values}
        label={meta.dataset.unit}
        summary={`${meta.dataset.name}, ${meta.country_name}, ${data.length} quarters; ${formatFigure(last.value)} in ${last.period}`}
      />
      <DataTable
        label="Newest observations and their revisions"
        caption={`${revised} of ${data.length} observations were revised`}
        columns={['Period', 'Value', 'Known since']}
      >
        {data.slice(-LISTED_COUNT).reverse().flatMap(revisionRows)}
      </DataTable>
    </>
  )
}

function revisionRows({ period, revisions }: Observation): readonly JSX.Element[] {
  return [...revisions].reverse().map(({ value, known_from, is_withdrawn }, at) => (
    <tr key={`${period} ${known_from}`} class={at === 0 ? '' : 'past'}>
      <th scope="row">{period}</th>
      <td>{is_withdrawn ? 'withdrawn' : formatFigure(value)}</td>
      <td>{formatInstant(known_from)}</td>
    </tr>
  ))
}

/** First millisecond of a quarter such as 2026-Q3. */
function quarterStartMs(period: string): number {
  const [year = '', quarter = '1'] = period.split('-Q')
  return Date.UTC(Number(year), (Number(quarter) - 1) * 3)
}
