import type { JSX } from 'preact'
import type { Asset } from './asset.js'
import { EventsPanel } from './events-panel.js'
import { HeadlinesPanel } from './headlines-panel.js'
import { HourlyPanel } from './hourly-panel.js'
import { OnchainPanel } from './onchain-panel.js'
import { PriceEvidencePanel } from './price-evidence-panel.js'
import { PricePanel } from './price-panel.js'
import { ProtocolPanel } from './protocol-panel.js'

/** What exists for crypto assets only. */
export function CryptoPanels({ asset }: { readonly asset: Asset }): JSX.Element {
  return (
    <>
      <PricePanel slug={asset.slug} name={asset.name} />
      <HourlyPanel slug={asset.slug} name={asset.name} />
      <PriceEvidencePanel slug={asset.slug} />
      <ProtocolPanel slug={asset.slug} />
      <OnchainPanel slug={asset.slug} />
      <EventsPanel assetId={asset.asset_id} />
      <HeadlinesPanel assetId={asset.asset_id} />
    </>
  )
}
