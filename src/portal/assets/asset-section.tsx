import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiQuery } from '../client/use-query.js'
import { ApiCalls } from '../parts/api-calls.js'
import { FactList } from '../parts/fact-list.js'
import { formatCompact } from '../parts/format.js'
import { FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { Panel } from '../parts/panel.js'
import type { Asset } from './asset.js'
import { CommodityPanel } from './commodity-panel.js'
import { EventsPanel } from './events-panel.js'
import { FundPanel } from './fund-panel.js'
import { HeadlinesPanel } from './headlines-panel.js'
import { PriceChartPanel } from './price-chart-panel.js'
import type { ChartedAsset } from './price-series.js'
import type { SectionId } from './sections.js'
import { ListingPanel } from './stocks/listing-panel.js'

export interface AssetSectionProps {
  readonly section: SectionId
  readonly asset: Asset
  readonly priced: ChartedAsset
  readonly meta: FreshnessMeta
  /** The query of the card. */
  readonly query: ApiQuery
}

/** Draws a section other than the overview. */
type DrawSection = (props: AssetSectionProps) => JSX.Element

type OtherSection = Exclude<SectionId, 'overview'>

/** Each section but the overview has its own script, which is loaded when the section is first opened. */
const LOADERS: Readonly<Record<OtherSection, () => Promise<DrawSection>>> = {
  prices: async () => {
    const { PricesSection } = await import('./prices-section.js')
    return ({ priced }) => <PricesSection asset={priced} />
  },
  fundamentals: async () => {
    const { FundamentalsSection } = await import('./fundamentals-section.js')
    return ({ priced }) => <FundamentalsSection asset={priced} />
  },
  holdings: async () => {
    const { HoldingsPanel } = await import('./holdings/holdings-panel.js')
    return ({ asset }) => <HoldingsPanel ticker={asset.ticker} />
  },
  holders: async () => {
    const { HeldByPanel } = await import('./stocks/held-by-panel.js')
    return ({ priced }) => <HeldByPanel listing={priced} />
  },
  analyses: async () => {
    const { AnalysesPanels } = await import('./analyses-panels.js')
    return ({ asset }) => <AnalysesPanels slug={asset.slug} assetClass={asset.asset_class} />
  },
  evidence: async () => {
    const { PriceEvidencePanel } = await import('./price-evidence-panel.js')
    return ({ asset }) => <PriceEvidencePanel slug={asset.slug} />
  },
  api: async () => {
    const { ApiSection } = await import('./api-section.js')
    return ({ priced, query }) => <ApiSection asset={priced} card={query} />
  },
}

/** The panels of one section. Only they request data. */
export function AssetSection(props: AssetSectionProps): JSX.Element {
  const { section, priced } = props
  if (section === 'overview')
    return (
      <>
        <PriceChartPanel asset={priced} />
        <div class="panels">
          <Figures {...props} />
        </div>
      </>
    )
  return (
    <div class="panels">
      <LoadedSection {...props} section={section} />
    </div>
  )
}

const loaded = new Map<OtherSection, DrawSection>()

function LoadedSection(props: AssetSectionProps & { readonly section: OtherSection }): JSX.Element {
  const { section } = props
  const [failed, setFailed] = useState<OtherSection | null>(null)
  const [, setShown] = useState<OtherSection | null>(null)
  useEffect(() => {
    let isCurrent = true
    LOADERS[section]().then(
      (draw) => {
        loaded.set(section, draw)
        if (isCurrent) setShown(section)
      },
      () => isCurrent && setFailed(section),
    )
    return () => {
      isCurrent = false
    }
  }, [section])
  const draw = loaded.get(section)
  if (draw !== undefined) return draw(props)
  if (failed !== section) return <p class="quiet loading">Loading…</p>
  return <p role="alert">This section could not be loaded. Check your connection and load the page again.</p>
}

function Figures({ asset, priced, meta, query }: AssetSectionProps): JSX.Element {
  const { asset_class, asset_id, slug, ticker } = asset
  if (asset_class === 'stock') return <ListingPanel slug={slug} listing={priced} />
  if (asset_class === 'etf') return <FundPanel ticker={ticker} />
  if (asset_class === 'commodity') return <CommodityPanel asset={asset} priced={priced} />
  return (
    <>
      <Panel title="Figures">
        <FactList
          facts={[
            ['Tier', asset.tier],
            [
              'Market value',
              asset.market_cap_derived_usd && `${formatCompact(asset.market_cap_derived_usd)} USD`,
            ],
            ['Supply', asset.supply && formatCompact(asset.supply.value)],
            ['Exchanges', asset.source_count],
            ['Ticker', ticker],
          ]}
        />
        <FreshnessLine meta={meta} />
        <ApiCalls query={query} />
      </Panel>
      <HeadlinesPanel assetId={asset_id} />
      <EventsPanel assetId={asset_id} />
    </>
  )
}
