import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useParameter } from '../location.js'
import { AddChoice } from '../parts/add-choice.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatQuantity } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import { type CatalogueSeries, hasRanges } from './catalogue.js'
import { type ComparableGroup, listComparableGroups, toLabelInGroup } from './comparable-group.js'
import { indexLines, mergeLines } from './merged-lines.js'
import { RANGES, type Range } from './series-panel.js'
import { buildSeriesQuery, type SeriesAnswer, toSeries } from './series-query.js'

/** As many lines as the chart has colours. */
const MAX_COMPARED = 6

/** The page compares total credit of these countries until the visitor chooses. */
const FIRST_SERIES = 'bis:WS_TC.Q.US.P.A.M.770.A'
const FIRST_COUNTRIES = ['United States', 'Japan', 'Germany', 'United Kingdom']

const SCALES = [
  ['plain', 'Values'],
  ['indexed', 'Indexed to 100'],
] as const

export interface CompareSeriesPanelProps {
  readonly catalogue: readonly CatalogueSeries[]
  /** The series of the page, by the id of the catalogue; empty for none. */
  readonly seriesId: string
}

/** Up to six series of one dataset or unit in one chart. */
export function CompareSeriesPanel({ catalogue, seriesId }: CompareSeriesPanelProps): JSX.Element | null {
  const groups = useMemo(() => listComparableGroups(catalogue), [catalogue])
  const [list, setList] = useParameter('compare', '')
  const group = findGroup(groups, [...list.split(','), seriesId, FIRST_SERIES])
  if (group === undefined) return null
  const ids = new Set(list.split(','))
  const listed = [...ids].flatMap((id) => group.series.filter((series) => series.id === id))
  const chosen = listed.length > 0 ? listed.slice(0, MAX_COMPARED) : chooseFirst(group, seriesId)
  const change = (series: readonly CatalogueSeries[]) => setList(series.map(({ id }) => id).join(','))
  return <Comparison groups={groups} group={group} chosen={chosen} onChange={change} />
}

/** The group of the first id that has one, else the first group. */
function findGroup(groups: readonly ComparableGroup[], ids: readonly string[]): ComparableGroup | undefined {
  const found = ids.map((id) => groups.find(({ series }) => series.some((one) => one.id === id)))
  return found.find((group) => group !== undefined) ?? groups[0]
}

/** The series of the page, and those of the first countries. */
function chooseFirst({ series }: ComparableGroup, seriesId: string): readonly CatalogueSeries[] {
  const first = series.filter(
    ({ id, country, datasetName }) =>
      id === seriesId || (datasetName !== null && FIRST_COUNTRIES.includes(country)),
  )
  return first.length > 0 ? first : series.slice(0, 2)
}

interface ComparisonProps {
  readonly groups: readonly ComparableGroup[]
  readonly group: ComparableGroup
  readonly chosen: readonly CatalogueSeries[]
  readonly onChange: (series: readonly CatalogueSeries[]) => void
}

function Comparison({ groups, group, chosen, onChange }: ComparisonProps): JSX.Element {
  const [range, setRange] = useState<Range>('1095')
  const [scale, setScale] = useState<(typeof SCALES)[number][0]>('plain')
  const query = useMemo(
    () =>
      buildSeriesQuery(
        chosen.map(({ id }, at) => ({ alias: `series_${at + 1}`, id })),
        { days: range === 'all' ? null : Number(range) },
      ),
    [chosen.map(({ id }) => id).join(), range],
  )
  /** Keeps the countries where the other group has them. */
  const moveTo = (key: string) => {
    const next = groups.find((one) => one.key === key)
    if (next === undefined) return
    const same = next.series.filter(({ country }) => chosen.some((one) => one.country === country))
    onChange((same.length > 0 ? same : next.series).slice(0, MAX_COMPARED))
  }
  const others = group.series.filter((series) => !chosen.includes(series))
  return (
    <QueryPanel<Readonly<Record<string, SeriesAnswer>>>
      title="Compare countries"
      isWide
      query={query}
      controls={
        <>
          <div class="row">
            <label>
              Dataset
              <select value={group.key} onChange={(event) => moveTo(event.currentTarget.value)}>
                {[...new Set(groups.map(({ providerName }) => providerName))].map((providerName) => (
                  <optgroup key={providerName} label={providerName}>
                    {groups
                      .filter((one) => one.providerName === providerName)
                      .map(({ key, name }) => (
                        <option key={key} value={key}>
                          {name}
                        </option>
                      ))}
                  </optgroup>
                ))}
              </select>
            </label>
            <AddChoice
              label="Another series"
              options={others.map((series) => [series.id, toLabelInGroup(series)])}
              isDisabled={chosen.length >= MAX_COMPARED || others.length === 0}
              onAdd={(added) => onChange([...chosen, ...others.filter(({ id }) => id === added)])}
            />
          </div>
          <p class="actions">
            {chosen.map((series) => (
              <button
                type="button"
                class="plain small"
                key={series.id}
                disabled={chosen.length === 1}
                onClick={() => onChange(chosen.filter((other) => other !== series))}
              >
                Remove {toLabelInGroup(series)}
              </button>
            ))}
          </p>
          <Choice label="Scale" options={SCALES} value={scale} onChange={setScale} />
          {chosen.some(({ id }) => hasRanges(id)) && (
            <Choice label="Range of the comparison" options={RANGES} value={range} onChange={setRange} />
          )}
        </>
      }
    >
      {(answers) => <ComparedLines answers={answers} isIndexed={scale === 'indexed'} />}
    </QueryPanel>
  )
}

interface ComparedLinesProps {
  readonly answers: Readonly<Record<string, SeriesAnswer>>
  readonly isIndexed: boolean
}

function ComparedLines({ answers, isIndexed }: ComparedLinesProps): JSX.Element {
  const series = useMemo(() => Object.values(answers).map(toSeries), [answers])
  const plain = useMemo(
    () => mergeLines(series.map(({ shortName, observations }) => ({ label: shortName, observations }))),
    [series],
  )
  const indexed = useMemo(() => (isIndexed ? indexLines(plain) : null), [plain, isIndexed])
  const { times, lines, formatTime } = indexed ?? plain
  const [first] = series
  if (first === undefined || times.length === 0) return <p class="quiet">No observations in this range.</p>
  const scale =
    indexed === null ? `Unit: ${first.unit}.` : 'The first period in which all series have a value is 100.'
  return (
    <>
      <p class="quiet">
        {scale}
        {isIndexed &&
          indexed === null &&
          ' These series cannot be indexed: where they begin together, a value is missing or not positive.'}
      </p>
      <Chart
        times={times}
        lines={lines}
        name="Comparison"
        formatTime={formatTime}
        summary={`${lines.map(({ label }) => label).join(', ')} over ${formatQuantity(times.length, 'period')}. ${scale}`}
      />
      {series.some(({ observations, total }) => observations.length < total) && (
        <p>Only the oldest observations of this range are shown. Choose a shorter range for newer ones.</p>
      )}
      <FreshnessLine meta={first.freshness} />
    </>
  )
}
