import type { JSX } from 'preact'
import { useQuery } from '../client/use-query.js'
import { Change } from '../parts/change.js'
import { FactList } from '../parts/fact-list.js'
import { formatPrice } from '../parts/format.js'
import { Sparkline } from '../parts/sparkline.js'
import type { Asset } from './asset.js'
import { toHeadFigures } from './head-figures.js'
import { buildPriceQuery, type ChartedAsset, type PriceAnswer, toPriceSeries } from './price-series.js'
import { useFirstRange } from './use-first-range.js'

export interface AssetHeadProps {
  readonly asset: Asset
  readonly priced: ChartedAsset
}

/** Price, changes, range and sparkline of an asset. The chart says why there are no prices over time. */
export function AssetHead({ asset, priced }: AssetHeadProps): JSX.Element | null {
  const { loaded } = useQuery<PriceAnswer>(buildPriceQuery(priced, useFirstRange(priced)))
  const series = toPriceSeries(loaded.state === 'ready' ? loaded.answer : {})
  const { price, unit, time, changes, range, trend, trendName } = toHeadFigures(asset, series)
  const { reason } = asset.price_changes
  if (price === null) return loaded.state === 'loading' ? null : <p class="quiet">{reason}</p>
  return (
    <div class="asset-figures">
      <p class="headline">
        <strong>{formatPrice(price)}</strong> {unit}
        <br />
        <span class="quiet small-text">{time}</span>
      </p>
      <FactList
        facts={[
          ...changes.map(
            ([period, fraction]) =>
              [period, <Change key={period} fraction={fraction} reason={reason} />] as const,
          ),
          [range?.name ?? '', range && `${formatPrice(range.low)} – ${formatPrice(range.high)}`],
        ]}
      />
      <Sparkline values={trend} label={`Price of ${asset.name} ${trendName}`} />
    </div>
  )
}
