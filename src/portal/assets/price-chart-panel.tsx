import type { ComponentChildren, JSX } from 'preact'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { runQuery } from '../client/request.js'
import { useQuery } from '../client/use-query.js'
import { type Loaded, useLoaded } from '../client/use-request.js'
import { useParameter } from '../location.js'
import { ApiCalls } from '../parts/api-calls.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatDay, formatFigure, formatInstant, formatQuantity, toMonth } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { LoadedView, Panel } from '../parts/panel.js'
import { comparePrices } from './compare-prices.js'
import { findChartedAsset } from './find-charted-asset.js'
import {
  buildPriceQuery,
  type ChartedAsset,
  type ChartRange,
  listRanges,
  MAX_POINTS,
  type PriceAnswer,
  type PriceSeries,
  toPriceSeries,
} from './price-series.js'
import { useFirstRange } from './use-first-range.js'

/** Another asset with its prices over the same range. */
interface Comparison {
  readonly asset: ChartedAsset
  readonly series: PriceSeries
}

/** The price of an asset over a range, alone or beside the price of another asset; the address keeps both choices. */
export function PriceChartPanel({ asset }: { readonly asset: ChartedAsset }): JSX.Element {
  const ranges = listRanges(asset.asset_class)
  const first = useFirstRange(asset)
  const [rangeText, setRange] = useParameter('range', first)
  const range = ranges.find(([one]) => one === rangeText)?.[0] ?? first
  const [other, setOther] = useParameter('compare', '')
  const query = useMemo(() => buildPriceQuery(asset, range), [asset, range])
  const { loaded, reload } = useQuery<PriceAnswer>(query)
  const comparison = useComparison(other, range)
  return (
    <Panel title="Price" isWide>
      <div class="chart-controls">
        <Choice label="Range" options={ranges} value={range} onChange={setRange} />
        <CompareForm key={other} chosen={other} onChoose={setOther} />
      </div>
      <div class={asset.asset_class === 'commodity' ? 'chart-room single' : 'chart-room'}>
        <LoadedView loaded={loaded} reload={reload}>
          {(answer) => <PriceCharts asset={asset} answer={answer} comparison={comparison} />}
        </LoadedView>
      </div>
      <ApiCalls query={query} />
    </Panel>
  )
}

/** Null without another asset. */
function useComparison(text: string, range: ChartRange): Loaded<Comparison | null> {
  const load = useCallback(async () => {
    if (text === '') return null
    const asset = await findChartedAsset(text)
    const { document, variables } = buildPriceQuery(asset, range)
    return { asset, series: toPriceSeries(await runQuery<PriceAnswer>(document, variables)) }
  }, [text, range])
  return useLoaded<Comparison | null>(load).loaded
}

interface CompareFormProps {
  readonly chosen: string
  readonly onChoose: (text: string) => void
}

function CompareForm({ chosen, onChoose }: CompareFormProps): JSX.Element {
  const [text, setText] = useState(chosen)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onChoose(text.trim())
  }
  return (
    <form class="compare" onSubmit={submit}>
      <input
        type="search"
        aria-label="Compare with"
        placeholder="Name or ticker"
        value={text}
        maxLength={64}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="plain small">
        Compare
      </button>
      {chosen !== '' && (
        <button type="button" class="plain small" onClick={() => onChoose('')}>
          Remove
        </button>
      )}
    </form>
  )
}

interface PriceChartsProps {
  readonly asset: ChartedAsset
  readonly answer: PriceAnswer
  readonly comparison: Loaded<Comparison | null>
}

function PriceCharts({ asset, answer, comparison }: PriceChartsProps): JSX.Element {
  const series = useMemo(() => toPriceSeries(answer), [answer])
  const compared = comparison.state === 'ready' ? comparison.answer : null
  if (series.times.length === 0) return <p class="quiet">No prices in this range.</p>
  return (
    <>
      {comparison.state === 'failed' && <Refusal>{comparison.error.message}</Refusal>}
      {compared === null ? (
        <OwnCharts asset={asset} series={series} />
      ) : (
        <ComparedChart asset={asset} series={series} comparison={compared} />
      )}
      {series.times.length === MAX_POINTS && (
        <p class="quiet">These are the newest {formatFigure(MAX_POINTS)} prices.</p>
      )}
      {series.meta !== null && <FreshnessLine meta={series.meta} />}
    </>
  )
}

function Refusal({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <p class="refused" role="alert">
      {children}
    </p>
  )
}

interface OwnChartsProps {
  readonly asset: ChartedAsset
  readonly series: PriceSeries
}

const WINDOWS = { crypto: 'day', stock: 'day', etf: 'day', commodity: 'month' } as const

function OwnCharts({ asset, series }: OwnChartsProps): JSX.Element {
  const { times, prices, volumes, unit, isHourly } = series
  const lines = useMemo(() => [{ label: unit, values: prices }], [unit, prices])
  const bars = useMemo(() => [{ label: toVolumeName(asset), values: volumes }], [asset, volumes])
  const count = formatQuantity(times.length, isHourly ? 'hour' : WINDOWS[asset.asset_class])
  const formatTime = toTimeFormat(asset, isHourly)
  const last = prices.findLastIndex((price) => price !== null)
  const newest = `${formatFigure(prices[last] ?? null)} ${unit}, ${formatTime(times[last] ?? 0)}`
  return (
    <>
      <Chart
        size="large"
        times={times}
        lines={lines}
        name="Price"
        formatTime={formatTime}
        summary={`Price of ${asset.name} over ${count}; newest ${newest}`}
      />
      {volumes.some((volume) => volume !== null) && (
        <Chart
          kind="bars"
          size="low"
          times={times}
          lines={bars}
          name="Volume"
          formatTime={formatTime}
          summary={`Volume of ${asset.name} over ${count}`}
        />
      )}
    </>
  )
}

interface ComparedChartProps extends OwnChartsProps {
  readonly comparison: Comparison
}

function ComparedChart({ asset, series, comparison }: ComparedChartProps): JSX.Element {
  const compared = useMemo(() => comparePrices(series, comparison.series), [series, comparison])
  const lines = useMemo(
    () => [
      { label: asset.name, values: compared.own },
      { label: comparison.asset.name, values: compared.other },
    ],
    [asset, comparison, compared],
  )
  if (compared.times.length === 0)
    return <p class="quiet">{comparison.asset.name} has no price in this range.</p>
  return (
    <>
      <p class="quiet">The first time at which both prices are known is 100.</p>
      <Chart
        size="large"
        times={compared.times}
        lines={lines}
        name="Price"
        formatTime={toTimeFormat(asset, series.isHourly)}
        summary={`Prices of ${asset.name} and ${comparison.asset.name}, indexed to 100`}
      />
    </>
  )
}

function toVolumeName({ asset_class }: ChartedAsset): string {
  return asset_class === 'crypto' ? 'USD traded' : 'shares traded'
}

function toTimeFormat({ asset_class }: ChartedAsset, isHourly: boolean): (seconds: number) => string {
  if (asset_class === 'commodity') return toMonth
  return isHourly ? formatHour : formatDate
}

function formatHour(seconds: number): string {
  return formatInstant(new Date(seconds * 1000).toISOString())
}

function formatDate(seconds: number): string {
  return formatDay(new Date(seconds * 1000).toISOString())
}
