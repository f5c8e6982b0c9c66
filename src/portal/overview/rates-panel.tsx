import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useGet } from '../client/use-request.js'
import { Chart } from '../parts/charts/chart.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { LoadedView, Panel, SyntheticNote } from '../parts/panel.js'

interface Rates {
  readonly data: readonly { readonly date: string; readonly rate: number }[]
  readonly _meta: { readonly freshness_status: string; readonly sources: readonly string[] }
}

const DAYS = 183

/** The euro reference rate of the US dollar over half a year. */
export function RatesPanel(): JSX.Element {
  const { loaded, reload } = useGet<Rates>(`/v1/forex?base=EUR&quote=USD&from=${daysAgo(DAYS)}`)
  return (
    <Panel title="US dollars per euro">
      <LoadedView loaded={loaded} reload={reload}>
        {(answer) => <RatesChart answer={answer} />}
      </LoadedView>
    </Panel>
  )
}

function RatesChart({ answer }: { readonly answer: Rates }): JSX.Element {
  const { data, _meta } = answer
  const times = useMemo(() => data.map(({ date }) => Date.parse(date) / 1000), [data])
  const lines = useMemo(() => [{ label: 'USD for 1 EUR', values: data.map(({ rate }) => rate) }], [data])
  const last = data.at(-1)
  if (last === undefined) return <p class="quiet">No rates yet.</p>
  return (
    <>
      <p class="headline">
        <strong>{formatFigure(last.rate)}</strong> USD{' '}
        <SyntheticNote isSynthetic={_meta.sources.includes('seed')} />
      </p>
      <Chart
        times={times}
        lines={lines}
        summary={`Reference rate over ${data.length} days of publication; ${formatFigure(last.rate)} on ${formatDay(last.date)}`}
      />
      <p class="quiet">
        Reference rate of {formatDay(last.date)}. Freshness: {_meta.freshness_status}. Source:{' '}
        {_meta.sources.join(', ')}.
      </p>
    </>
  )
}
