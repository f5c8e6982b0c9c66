import type { JSX } from 'preact'
import type { Asset } from './asset.js'
import { ONCHAIN_FIGURES, PROTOCOL_FIGURES } from './day-figures.js'
import { DayFiguresPanel } from './day-figures-panel.js'
import { EventsPanel } from './events-panel.js'
import { HeadlinesPanel } from './headlines-panel.js'
import { HourlyPanel } from './hourly-panel.js'
import { PriceEvidencePanel } from './price-evidence-panel.js'
import { PricePanel } from './price-panel.js'

/** What exists for crypto assets only. */
export function CryptoPanels({ asset }: { readonly asset: Asset }): JSX.Element {
  return (
    <>
      <PricePanel slug={asset.slug} name={asset.name} />
      <HourlyPanel slug={asset.slug} name={asset.name} />
      <PriceEvidencePanel slug={asset.slug} />
      <DayFiguresPanel slug={asset.slug} figures={PROTOCOL_FIGURES} />
      <DayFiguresPanel slug={asset.slug} figures={ONCHAIN_FIGURES} />
      <EventsPanel assetId={asset.asset_id} />
      <HeadlinesPanel assetId={asset.asset_id} />
    </>
  )
}
