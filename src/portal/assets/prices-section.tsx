import type { JSX } from 'preact'
import { ExchangePanel } from './exchange-panel.js'
import { HourlyPanel } from './hourly-panel.js'
import { MonthlyPricesPanel } from './monthly-prices-panel.js'
import type { ChartedAsset } from './price-series.js'
import { ActionsPanel } from './stocks/actions-panel.js'
import { DividendsPanel } from './stocks/dividends-panel.js'
import { ListedPricesPanel } from './stocks/listed-prices-panel.js'

/** The prices of an asset beyond its chart. */
export function PricesSection({ asset }: { readonly asset: ChartedAsset }): JSX.Element {
  const { asset_class, slug, name } = asset
  if (asset_class === 'commodity') return <MonthlyPricesPanel asset={asset} />
  if (asset_class === 'crypto')
    return (
      <>
        <ExchangePanel slug={slug} name={name} />
        <HourlyPanel slug={slug} name={name} />
      </>
    )
  return (
    <>
      <ListedPricesPanel listing={asset} name={name} assetClass={asset_class === 'stock' ? 'stock' : 'etf'} />
      {asset_class === 'stock' && (
        <>
          <DividendsPanel listing={asset} />
          <ActionsPanel listing={asset} />
        </>
      )}
    </>
  )
}
