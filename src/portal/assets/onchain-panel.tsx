import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { FactList } from '../parts/fact-list.js'
import { formatCompact, formatDay, formatFigure } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const METRICS = `query OnchainMetrics($slug: String!) {
  onchain_metrics(id: $slug) {
    data { snapshot_date active_addresses tx_count avg_fee_usd fees_total_usd mvrv_ratio nupl sopr realized_cap_usd }
  }
}`

interface Metrics {
  readonly snapshot_date: string
  readonly active_addresses: number | null
  readonly tx_count: number | null
  readonly avg_fee_usd: number | null
  readonly fees_total_usd: number | null
  readonly mvrv_ratio: number | null
  readonly nupl: number | null
  readonly sopr: number | null
  readonly realized_cap_usd: number | null
}

/** Activity on the chain of an asset on its newest day. */
export function OnchainPanel({ slug }: { readonly slug: string }): JSX.Element {
  return (
    <QueryPanel<{ readonly onchain_metrics: { readonly data: Metrics } }>
      title="On-chain activity"
      query={{
        document: METRICS,
        variables: { slug },
        rest: [restGet(`/v1/assets/${slug}/onchain`)],
      }}
    >
      {({ onchain_metrics: { data } }) => (
        <FactList
          facts={[
            ['Active addresses', formatFigure(data.active_addresses)],
            ['Transactions', formatFigure(data.tx_count)],
            ['Average fee, USD', formatFigure(data.avg_fee_usd, 4)],
            ['All fees, USD', formatCompact(data.fees_total_usd)],
            ['Realized value, USD', formatCompact(data.realized_cap_usd)],
            ['MVRV', formatFigure(data.mvrv_ratio, 4)],
            ['NUPL', formatFigure(data.nupl, 4)],
            ['SOPR', formatFigure(data.sopr, 4)],
            ['Day', formatDay(data.snapshot_date)],
          ]}
        />
      )}
    </QueryPanel>
  )
}
