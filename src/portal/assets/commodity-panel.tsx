import type { JSX } from 'preact'
import { Change } from '../parts/change.js'
import { FactList } from '../parts/fact-list.js'
import { formatPrice, toMonth } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { Asset } from './asset.js'
import { toHeadFigures } from './head-figures.js'
import {
  buildPriceQuery,
  type ChartedAsset,
  FIRST_RANGE,
  type PriceAnswer,
  type PriceSeries,
  toPriceSeries,
} from './price-series.js'

export interface CommodityPanelProps {
  readonly asset: Asset
  readonly priced: ChartedAsset
}

/** The newest monthly price of a commodity beside those of five years. The head of the page sends the same request. */
export function CommodityPanel({ asset, priced }: CommodityPanelProps): JSX.Element {
  return (
    <QueryPanel<PriceAnswer> title="Figures" isWide query={buildPriceQuery(priced, FIRST_RANGE.commodity)}>
      {(answer) => <Facts asset={asset} series={toPriceSeries(answer)} />}
    </QueryPanel>
  )
}

interface FactsProps {
  readonly asset: Asset
  readonly series: PriceSeries
}

function Facts({ asset, series }: FactsProps): JSX.Element {
  const { price, unit, time, changes } = toHeadFigures(asset, series)
  const known = series.prices.filter((one) => one !== null)
  if (price === null) return <p class="quiet">No price of the last five years is stored.</p>
  return (
    <>
      <FactList
        facts={[
          ['Average of the month', formatPrice(price)],
          ['Unit', unit],
          ['Month', time],
          ...changes.map(([period, fraction]) => [`Change over ${period}`, toChange(fraction)] as const),
          ['Highest of 5 years', toExtreme(series, Math.max(...known))],
          ['Lowest of 5 years', toExtreme(series, Math.min(...known))],
        ]}
      />
      {series.meta !== null && <FreshnessLine meta={series.meta} />}
    </>
  )
}

function toChange(fraction: number | null): JSX.Element | null {
  return fraction === null ? null : <Change fraction={fraction} />
}

/** A price with its newest month. */
function toExtreme({ prices, times }: PriceSeries, price: number): string {
  return `${formatPrice(price)} in ${toMonth(times[prices.lastIndexOf(price)] ?? 0)}`
}
