import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { daysAgo } from '../parts/days-ago.js'
import { IsoDayInput } from '../parts/iso-day-input.js'
import { DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import {
  buildCurveQuery,
  type CurveAnswer,
  toCurve,
  YIELD_CURVES,
  type YieldCurve,
  type YieldCurveName,
} from './yield-curve.js'

const CHOICES = Object.entries(YIELD_CURVES).map(
  ([value, { name }]) => [value as YieldCurveName, name] as const,
)

/** The yields of one day by maturity, beside those of another day. */
export function YieldCurvePanel(): JSX.Element {
  const [name, setName] = useState<YieldCurveName>('us')
  const [day, setDay] = useState('')
  const [other, setOther] = useState(daysAgo(365))
  const curve: YieldCurve = YIELD_CURVES[name]
  const query = useMemo(
    () => buildCurveQuery(curve, day || daysAgo(0), other || daysAgo(365)),
    [curve, day, other],
  )
  return (
    <QueryPanel<CurveAnswer>
      title="Yield curve"
      isWide
      query={query}
      controls={
        <>
          <Choice label="Curve" options={CHOICES} value={name} onChange={setName} />
          <div class="row">
            <IsoDayInput label="Day, else the newest" day={day} first={curve.first} onDay={setDay} />
            <IsoDayInput label="Compared with" day={other} first={curve.first} onDay={setOther} />
          </div>
        </>
      }
    >
      {(answer) => <CurveView curve={curve} answer={answer} />}
    </QueryPanel>
  )
}

interface CurveViewProps {
  readonly curve: YieldCurve
  readonly answer: CurveAnswer
}

function CurveView({ curve, answer }: CurveViewProps): JSX.Element {
  const { maturities, day, other } = useMemo(() => toCurve(curve, answer), [curve, answer])
  const [times, lines] = useMemo(() => {
    const shown = [day, other].filter((one) => one.day !== null)
    const all = shown.map(({ day: label, yields }) => ({ label: `% on ${label}`, values: yields }))
    return [maturities.map((_, at) => at), all]
  }, [maturities, day, other])
  if (maturities.length === 0)
    return (
      <p class="quiet">
        No yields of these days are loaded. <a href="/data">Datasets</a> shows what is loaded.
      </p>
    )
  return (
    <>
      <Chart
        times={times}
        names={maturities}
        lines={lines}
        name="Yield curve"
        summary={`Yields of the curve ${curve.name} by maturity: ${lines.map(({ label }) => label).join(', ')}`}
      />
      <DataTable
        label="Yields by maturity"
        columns={[
          'Maturity',
          { number: day.day ?? 'no yields' },
          { number: other.day ?? 'no yields' },
          { number: 'Difference' },
        ]}
      >
        {maturities.map((maturity, at) => (
          <tr key={maturity}>
            <th scope="row">{maturity}</th>
            <td class="number">{formatYield(day.yields[at])}</td>
            <td class="number">{formatYield(other.yields[at])}</td>
            <td class="number">{formatDifference(day.yields[at], other.yields[at])}</td>
          </tr>
        ))}
      </DataTable>
    </>
  )
}

/** Publishers state two decimals. */
const DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
const inPercent = new Intl.NumberFormat('en-GB', DECIMALS)
const inPoints = new Intl.NumberFormat('en-GB', { ...DECIMALS, signDisplay: 'exceptZero' })

type Yield = number | null | undefined

function formatYield(percent: Yield): string {
  return percent == null ? '–' : inPercent.format(percent)
}

function formatDifference(percent: Yield, before: Yield): string {
  return percent == null || before == null ? '–' : inPoints.format(percent - before)
}
