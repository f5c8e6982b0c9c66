import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useGet } from '../client/use-request.js'
import { Chart } from '../parts/charts/chart.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { LoadedView, Panel, SyntheticNote } from '../parts/panel.js'

interface Candles {
  readonly data: {
    readonly candles: readonly {
      readonly ts: string
      readonly vwap_usd: number | null
      readonly exchanges_count: number
    }[]
  }
  readonly meta: { readonly is_dev_dataset: boolean | null; readonly methodology_version: string | null }
  readonly _meta: { readonly freshness_status: string; readonly sources: readonly string[] }
}

const DAYS = 90

/** Daily consensus prices of Bitcoin over the last 90 days. */
export function CandlesPanel(): JSX.Element {
  const { loaded, reload } = useGet<Candles>(`/v1/assets/bitcoin/ohlcv?timeframe=1d&from=${daysAgo(DAYS)}`)
  return (
    <Panel title="Bitcoin: daily consensus price">
      <LoadedView loaded={loaded} reload={reload}>
        {(answer) => <CandlesChart answer={answer} />}
      </LoadedView>
    </Panel>
  )
}

function CandlesChart({ answer }: { readonly answer: Candles }): JSX.Element {
  const { candles } = answer.data
  const times = useMemo(() => candles.map(({ ts }) => Date.parse(ts) / 1000), [candles])
  const lines = useMemo(() => [{ label: 'USD', values: candles.map(({ vwap_usd }) => vwap_usd) }], [candles])
  const last = candles.at(-1)
  if (last === undefined) return <p class="quiet">No prices yet.</p>
  const newest = `${formatFigure(last.vwap_usd)} USD on ${formatDay(last.ts)}`
  return (
    <>
      <p class="headline">
        <strong>{formatFigure(last.vwap_usd)}</strong> USD{' '}
        <SyntheticNote isSynthetic={answer.meta.is_dev_dataset} />
      </p>
      <Chart
        times={times}
        lines={lines}
        summary={`Volume-weighted price of Bitcoin over ${candles.length} days; ${newest}`}
      />
      <p class="quiet">
        Price of {last.exchanges_count} exchanges on {formatDay(last.ts)}. Freshness:{' '}
        {answer._meta.freshness_status}. Source: {answer._meta.sources.join(', ')}.{' '}
        <a href="/assets/bitcoin">How the price was computed</a>
      </p>
    </>
  )
}
