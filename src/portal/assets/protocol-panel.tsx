import type { JSX } from 'preact'
import { restGet } from '../client/use-query.js'
import { FactList } from '../parts/fact-list.js'
import { formatCompact, formatDay, formatFigure } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const FUNDAMENTALS = `query ProtocolFundamentals($slug: String!) {
  asset_fundamentals(id: $slug) {
    data { snapshot_date ps_ratio pr_ratio fees_30d_usd fees_annualized revenue_30d_usd revenue_annualized }
  }
}`

interface Fundamentals {
  readonly snapshot_date: string
  readonly ps_ratio: number | null
  readonly pr_ratio: number | null
  readonly fees_30d_usd: number | null
  readonly fees_annualized: number | null
  readonly revenue_30d_usd: number | null
  readonly revenue_annualized: number | null
}

/** Fees and revenue of the protocol behind an asset. */
export function ProtocolPanel({ slug }: { readonly slug: string }): JSX.Element {
  return (
    <QueryPanel<{ readonly asset_fundamentals: { readonly data: Fundamentals } }>
      title="Fees and revenue"
      query={{
        document: FUNDAMENTALS,
        variables: { slug },
        rest: [restGet(`/v1/assets/${slug}/fundamentals`)],
      }}
    >
      {({ asset_fundamentals: { data } }) => (
        <FactList
          facts={[
            ['Fees, 30 days, USD', formatCompact(data.fees_30d_usd)],
            ['Fees, annualized, USD', formatCompact(data.fees_annualized)],
            ['Revenue, 30 days, USD', formatCompact(data.revenue_30d_usd)],
            ['Revenue, annualized, USD', formatCompact(data.revenue_annualized)],
            ['Market value to fees', formatFigure(data.ps_ratio, 4)],
            ['Market value to revenue', formatFigure(data.pr_ratio, 4)],
            ['Day', formatDay(data.snapshot_date)],
          ]}
        />
      )}
    </QueryPanel>
  )
}
