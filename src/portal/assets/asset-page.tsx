import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { type ApiQuery, restGet, useQuery } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { FRESHNESS, type FreshnessMeta } from '../parts/freshness.js'
import { Badge, LoadedView } from '../parts/panel.js'
import { useTitle } from '../parts/use-title.js'
import type { Asset } from './asset.js'
import { AssetHead } from './asset-head.js'
import { AssetSection } from './asset-section.js'
import { findSlug, LISTING_KEY, type ListingKeyAnswer } from './find-charted-asset.js'
import { PRICE_CHANGES } from './price-changes.js'
import { listSections, SectionLinks } from './sections.js'

const ASSET = `query Asset($slug: String!) {
  asset(id: $slug) {
    data {
      asset_id slug ticker name asset_class tier
      market_cap_derived_usd source_count last_updated
      ${PRICE_CHANGES}
      supply { value }
    }
    ${FRESHNESS}
  }
}`

interface AssetAnswer {
  readonly asset: { readonly data: Asset; readonly _meta: FreshnessMeta }
}

/** Everything about one asset that its class has, in sections with addresses. */
export function AssetPage({ slug }: { readonly slug: string }): JSX.Element {
  const query: ApiQuery = {
    document: ASSET,
    variables: { slug },
    rest: [restGet(`/v1/assets/${slug}`)],
    restNote: 'This route returns the asset. How its price has changed is a field in GraphQL.',
  }
  const { loaded, reload } = useQuery<AssetAnswer>(query)
  const isUnknown = loaded.state === 'failed' && loaded.error.code === 'not_found'
  useOtherName(slug, isUnknown)
  const card = loaded.state === 'ready' ? loaded.answer.asset : null
  useTitle(card === null ? slug : `${card.data.name} (${card.data.ticker})`)
  return (
    <>
      <div class="asset-name">
        <h1>
          {card?.data.name ?? slug} {card !== null && <span class="quiet">{card.data.ticker}</span>}
        </h1>
        {card !== null && <Badge tone="quiet" text={card.data.asset_class} />}
      </div>
      {card === null ? (
        <div class="asset-head">
          {isUnknown ? (
            <p>
              No asset has the name “{slug}”. Search above, or go to <a href="/assets">all assets</a>.
            </p>
          ) : (
            <LoadedView loaded={loaded} reload={reload}>
              {() => null}
            </LoadedView>
          )}
        </div>
      ) : card.data.asset_class === 'stock' ? (
        <Stock card={card} query={query} />
      ) : (
        <AssetBody card={card} query={query} mic={null} />
      )}
    </>
  )
}

/** Leads from a ticker, an ISIN or an integer key in the address to the page of the asset. */
function useOtherName(name: string, isUnknown: boolean): void {
  useEffect(() => {
    if (!isUnknown) return
    findSlug(name).then(
      (slug) => slug !== null && location.replace(`/assets/${slug}`),
      () => undefined, // the page says that the name is unknown
    )
  }, [name, isUnknown])
}

interface CardProps {
  readonly card: AssetAnswer['asset']
  /** The query of the card. */
  readonly query: ApiQuery
}

/** A ticker that is listed on several markets needs the market too. */
function Stock({ card, query }: CardProps): JSX.Element {
  const { loaded, reload } = useQuery<ListingKeyAnswer>({
    document: LISTING_KEY,
    variables: { slug: card.data.slug },
    rest: [],
  })
  if (loaded.state === 'ready')
    return <AssetBody card={card} query={query} mic={loaded.answer.asset.data.stock?.mic ?? null} />
  return (
    <div class="asset-head">
      <LoadedView loaded={loaded} reload={reload}>
        {() => null}
      </LoadedView>
    </div>
  )
}

interface AssetBodyProps extends CardProps {
  readonly mic: string | null
}

function AssetBody({ card: { data, _meta }, query, mic }: AssetBodyProps): JSX.Element {
  const { slug, ticker, name, asset_class } = data
  const sections = listSections(asset_class)
  const [wanted] = useParameter('section', 'overview')
  const section = sections.find(([id]) => id === wanted)?.[0] ?? 'overview'
  const priced = useMemo(
    () => ({ slug, ticker, name, asset_class, mic }),
    [slug, ticker, name, asset_class, mic],
  )
  return (
    <>
      <div class="asset-head">
        <AssetHead asset={data} priced={priced} />
      </div>
      <SectionLinks path={`/assets/${slug}`} sections={sections} open={section} />
      <AssetSection section={section} asset={data} priced={priced} meta={_meta} query={query} />
    </>
  )
}
