import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatInstant, formatQuantity } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import { hasRanges } from './catalogue.js'
import { KnownPeriod, revisionText } from './known-period.js'
import { mergeLines } from './merged-lines.js'
import { RevisedPoints, type Vintage } from './revised-points.js'
import {
  buildSeriesQuery,
  type ChartedSeries,
  type Observation,
  type SeriesAnswer,
  toSeries,
} from './series-query.js'
import { VintageChoice } from './vintage-choice.js'

/** The table shows this many of the newest observations. */
const LISTED_COUNT = 6

export const RANGES = [
  ['365', '1 year'],
  ['1095', '3 years'],
  ['all', 'All'],
] as const
export type Range = (typeof RANGES)[number][0]

export interface SeriesPanelProps {
  /** As the catalogue names the series. */
  readonly id: string
  readonly title?: string
  /** The instant whose vintage is compared with the present one; null for none. */
  readonly asOf?: string | null
  /** Without it no vintage can be chosen. */
  readonly onAsOf?: (asOf: string | null) => void
}

interface Answer {
  readonly now: SeriesAnswer
  readonly earlier?: SeriesAnswer
}

/** A macro series with the revisions of its newest observations, and beside it an earlier vintage. */
export function SeriesPanel({ id, title = 'Series', asOf = null, onAsOf }: SeriesPanelProps): JSX.Element {
  const [range, setRange] = useState<Range>('1095')
  const query = useMemo(() => {
    const earlier = asOf === null ? [] : [{ alias: 'earlier', id, asOf }]
    const days = range === 'all' ? null : Number(range)
    return buildSeriesQuery([{ alias: 'now', id }, ...earlier], { days, hasRevisions: true })
  }, [id, range, asOf])
  return (
    <QueryPanel<Answer>
      title={title}
      isWide
      query={query}
      controls={hasRanges(id) && <Choice label="Range" options={RANGES} value={range} onChange={setRange} />}
    >
      {(answer) => <LoadedSeries answer={answer} asOf={asOf} onAsOf={onAsOf} />}
    </QueryPanel>
  )
}

interface LoadedSeriesProps {
  readonly answer: Answer
  readonly onAsOf: SeriesPanelProps['onAsOf'] | undefined
  readonly asOf: string | null
}

function LoadedSeries({ answer, asOf, onAsOf }: LoadedSeriesProps): JSX.Element {
  const series = useMemo(() => toSeries(answer.now), [answer])
  const earlier = useMemo(() => (answer.earlier === undefined ? null : toSeries(answer.earlier)), [answer])
  if (series.observations.length === 0) return <p class="quiet">No observations in this range.</p>
  return (
    <>
      {onAsOf !== undefined && (
        <VintageChoice observations={series.observations} asOf={asOf} onAsOf={onAsOf} />
      )}
      <SeriesChart
        series={series}
        vintage={earlier === null || asOf === null ? null : { observations: earlier.observations, asOf }}
      />
    </>
  )
}

interface SeriesChartProps {
  readonly series: ChartedSeries
  readonly vintage: Vintage | null
}

function SeriesChart({ series, vintage }: SeriesChartProps): JSX.Element {
  const { name, titleAtPublisher, unit, observations, total, license, freshness } = series
  const { times, lines, formatTime } = useMemo(() => {
    if (vintage === null) return mergeLines([{ label: unit, observations }])
    return mergeLines([
      { label: `${unit}, known now`, observations },
      {
        label: `${unit}, known on ${formatInstant(vintage.asOf)}`,
        observations: vintage.observations,
        isDashed: true,
      },
    ])
  }, [observations, unit, vintage?.observations, vintage?.asOf])
  const revised = observations.filter(({ revisions }) => revisions.length > 1).length
  return (
    <>
      <h3>{name}</h3>
      <Chart
        times={times}
        lines={lines}
        name={name}
        formatTime={formatTime}
        summary={`${name}, ${formatQuantity(observations.length, 'observation')}${vintage === null ? '' : `, with what was known on ${formatInstant(vintage.asOf)}`}`}
      />
      {observations.length < total && (
        <p>
          These are the first {observations.length} of {total} observations. Choose a shorter range for newer
          ones.
        </p>
      )}
      {vintage !== null && <RevisedPoints observations={observations} vintage={vintage} />}
      <DataTable
        label="Newest observations and their revisions"
        caption={`${revised} of ${formatQuantity(observations.length, 'observation')} revised`}
        columns={['Period', { number: 'Value' }, 'Known since']}
      >
        {observations.slice(-LISTED_COUNT).reverse().flatMap(toRevisionRows)}
      </DataTable>
      <KnownPeriod observations={observations} />
      {titleAtPublisher !== null && <p class="quiet">Title at the publisher: {titleAtPublisher}</p>}
      <p class="quiet">Licence: {license}</p>
      <FreshnessLine meta={freshness} />
    </>
  )
}

function toRevisionRows({ period, revisions }: Observation): readonly JSX.Element[] {
  return [...revisions].reverse().map((revision, at) => (
    <tr key={`${period} ${revision.known_from}`} class={at === 0 ? '' : 'past'}>
      <th scope="row">{period}</th>
      <td class="number">{revisionText(revision)}</td>
      <td>{formatInstant(revision.known_from)}</td>
    </tr>
  ))
}
