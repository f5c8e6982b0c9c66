import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Chart } from '../parts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatFigure, formatInstant } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import {
  buildSeriesQuery,
  type ChartedSeries,
  type Observation,
  parseProvider,
  type SeriesData,
  toSeries,
} from './series-query.js'

/** The table shows this many of the newest observations. */
const LISTED_COUNT = 6

const RANGES = [
  ['365', '1 year'],
  ['1095', '3 years'],
  ['all', 'All'],
] as const
type Range = (typeof RANGES)[number][0]

export interface SeriesPanelProps {
  /** As the catalogue names the series. */
  readonly id: string
  readonly title?: string
}

/** A macro series with the revisions of its newest observations. */
export function SeriesPanel({ id, title = 'Series' }: SeriesPanelProps): JSX.Element {
  const [range, setRange] = useState<Range>('1095')
  const query = useMemo(() => buildSeriesQuery(id, range === 'all' ? null : Number(range)), [id, range])
  const hasRanges = parseProvider(id) !== 'bis'
  return (
    <QueryPanel<SeriesData>
      title={title}
      isWide
      query={query}
      controls={hasRanges && <Choice label="Range" options={RANGES} value={range} onChange={setRange} />}
    >
      {(answer) => <LoadedSeries answer={answer} />}
    </QueryPanel>
  )
}

function LoadedSeries({ answer }: { readonly answer: SeriesData }): JSX.Element {
  const series = useMemo(() => toSeries(answer), [answer])
  if (series === null || series.observations.length === 0)
    return <p class="quiet">No observations in this range.</p>
  return <SeriesChart series={series} />
}

function SeriesChart({ series }: { readonly series: ChartedSeries }): JSX.Element {
  const { name, unit, observations, total, license, freshness } = series
  const times = useMemo(() => observations.map(({ seconds }) => seconds), [observations])
  const lines = useMemo(
    () => [{ label: unit, values: observations.map(({ value }) => value) }],
    [observations, unit],
  )
  const periods = useMemo(
    () => new Map(observations.map(({ seconds, period }) => [seconds, period])),
    [observations],
  )
  const revised = observations.filter(({ revisions }) => revisions.length > 1).length
  return (
    <>
      <h3>{name}</h3>
      <Chart
        times={times}
        lines={lines}
        name={name}
        formatTime={(seconds) => periods.get(seconds) ?? ''}
        summary={`${name}, ${observations.length} observations`}
      />
      {observations.length < total && (
        <p>
          These are the first {observations.length} of {total} observations. Choose a shorter range for newer
          ones.
        </p>
      )}
      <DataTable
        label="Newest observations and their revisions"
        caption={`${revised} of ${observations.length} observations were revised`}
        columns={['Period', 'Value', 'Known since']}
      >
        {observations.slice(-LISTED_COUNT).reverse().flatMap(toRevisionRows)}
      </DataTable>
      <p class="quiet">{license}</p>
      <FreshnessLine meta={freshness} />
    </>
  )
}

function toRevisionRows({ period, revisions }: Observation): readonly JSX.Element[] {
  return [...revisions].reverse().map(({ value, known_from, is_withdrawn }, at) => (
    <tr key={`${period} ${known_from}`} class={at === 0 ? '' : 'past'}>
      <th scope="row">{period}</th>
      <td>{is_withdrawn ? 'withdrawn' : formatFigure(value)}</td>
      <td>{formatInstant(known_from)}</td>
    </tr>
  ))
}
