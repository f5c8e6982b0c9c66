import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatInstant, formatQuantity } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const MENTIONS = `query Headlines($asset_id: Int!, $from: Date!) {
  star_fact_news_mentions(asset_id: $asset_id, from: $from, limit: 100) {
    data { news_mention_sk published_at news_source { editor } }
    meta { total }
  }
}`

/** The panel looks this far back. */
const DAYS = 30
const SHOWN_COUNT = 10

interface Mentions {
  readonly star_fact_news_mentions: {
    readonly data: readonly {
      readonly news_mention_sk: string
      readonly published_at: string
      readonly news_source: { readonly editor: string } | null
    }[]
    readonly meta: { readonly total: number }
  }
}

/** The newest headlines that name an asset. Their texts belong to the publishers, so only source and time are shown. */
export function HeadlinesPanel({ assetId }: { readonly assetId: number }): JSX.Element {
  const query = useMemo(() => {
    const variables = { asset_id: assetId, from: daysAgo(DAYS) }
    return {
      document: MENTIONS,
      variables,
      rest: [restGet('/v1/star/fact/news-mentions', { ...variables, limit: 100 })],
    }
  }, [assetId])
  return (
    <QueryPanel<Mentions> title="Headlines" query={query}>
      {({ star_fact_news_mentions: { data, meta } }) =>
        data.length === 0 ? (
          <p class="quiet">No headline of the last {DAYS} days names this asset.</p>
        ) : (
          <>
            <p>
              This asset is named in {formatQuantity(meta.total, 'headline')} of the last {DAYS} days, for
              example:
            </p>
            <ul class="entries">
              {[...data]
                .reverse()
                .slice(0, SHOWN_COUNT)
                .map(({ news_mention_sk, published_at, news_source }) => (
                  <li key={news_mention_sk}>
                    {formatInstant(published_at)}: {news_source?.editor ?? 'unknown source'}
                  </li>
                ))}
            </ul>
          </>
        )
      }
    </QueryPanel>
  )
}
