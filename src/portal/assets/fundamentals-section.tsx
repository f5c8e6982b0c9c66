import type { JSX } from 'preact'
import { ONCHAIN_FIGURES, PROTOCOL_FIGURES } from './day-figures.js'
import { DayFiguresPanel } from './day-figures-panel.js'
import type { ChartedAsset } from './price-series.js'
import { FilingPanel } from './stocks/filing-panel.js'
import { QuartersPanel } from './stocks/quarters-panel.js'

/** What a company filed, or the figures of a chain and its protocol. */
export function FundamentalsSection({ asset }: { readonly asset: ChartedAsset }): JSX.Element {
  if (asset.asset_class === 'stock')
    return (
      <>
        <FilingPanel listing={asset} />
        <QuartersPanel listing={asset} />
      </>
    )
  return (
    <>
      <DayFiguresPanel slug={asset.slug} figures={PROTOCOL_FIGURES} />
      <DayFiguresPanel slug={asset.slug} figures={ONCHAIN_FIGURES} />
    </>
  )
}
