import type { JSX } from 'preact'
import { type AssetPriceChanges, PRICE_CHANGES } from '../assets/price-changes.js'
import { useQuery } from '../client/use-query.js'
import { Change } from '../parts/change.js'
import { formatCompact, formatPrice, formatQuantity } from '../parts/format.js'
import { Sparkline } from '../parts/sparkline.js'
import { ScrollArea } from '../parts/tables/scroll-area.js'
import { BriefPanel } from './brief-panel.js'

/** The assets, their changes and their month cost three units. */
const LISTED_COUNT = 8
const DAYS = 30

const MARKET = `query Market {
  assets(asset_class: crypto, sort: market_cap, order: desc, limit: ${LISTED_COUNT}) {
    data {
      slug ticker name market_cap_derived_usd
      ${PRICE_CHANGES}
      ohlcv(timeframe: D1, limit: ${DAYS}) { candles { vwap_usd } }
    }
  }
}`

interface MarketAsset {
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly market_cap_derived_usd: number | null
  readonly price_changes: AssetPriceChanges
  /** Null if no exchange trades the asset. */
  readonly ohlcv: { readonly candles: readonly { readonly vwap_usd: number | null }[] } | null
}

interface MarketAnswer {
  readonly assets: { readonly data: readonly MarketAsset[] }
}

const COLUMNS = [
  ['#', 'number'],
  ['Asset', ''],
  ['Price, USD', 'number'],
  ['24 h', 'number'],
  ['7 d', 'number'],
  ['30 d', 'number trend'],
  ['Value, USD', 'number value'],
] as const

/** The largest crypto assets with their changes. */
export function MarketPanel(): JSX.Element {
  const state = useQuery<MarketAnswer>({ document: MARKET, variables: {}, rest: [] })
  return (
    <BriefPanel title="Market" path="/assets" state={state} className="market">
      {({ assets: { data } }) => (
        <ScrollArea label="Market">
          <table>
            <thead>
              <tr>
                {COLUMNS.map(([name, look]) => (
                  <th scope="col" key={name} class={look}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{data.map(toRow)}</tbody>
          </table>
        </ScrollArea>
      )}
    </BriefPanel>
  )
}

function toRow(asset: MarketAsset, at: number): JSX.Element {
  const { slug, ticker, name, market_cap_derived_usd, price_changes, ohlcv } = asset
  const { price, change_1d, change_7d, reason } = price_changes
  const days = (ohlcv?.candles ?? []).map(({ vwap_usd }) => vwap_usd)
  return (
    <tr key={slug}>
      <td class="number quiet">{at + 1}</td>
      <th scope="row">
        <a href={`/assets/${slug}`}>{name}</a> <span class="quiet">{ticker}</span>
      </th>
      <td class="number">{formatPrice(price)}</td>
      <td class="number">
        <Change fraction={change_1d} reason={reason} />
      </td>
      <td class="number">
        <Change fraction={change_7d} reason={reason} />
      </td>
      <td class="number trend">
        <Sparkline
          values={[...days, price]}
          label={`Price of ${name} over ${formatQuantity(days.length, 'day')}`}
        />
      </td>
      <td class="number value">{formatCompact(market_cap_derived_usd)}</td>
    </tr>
  )
}
