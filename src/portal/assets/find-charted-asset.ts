import { RequestError, runQuery } from '../client/request.js'
import type { AssetClassName } from './asset.js'
import type { ChartedAsset } from './price-series.js'

const FIND = `query Find($q: String!) {
  asset_search(q: $q, limit: 1) { data { asset_id slug ticker name asset_class } }
}`

export const LISTING_KEY = `query ListingKey($slug: String!) {
  asset(id: $slug) { data { stock { mic } } }
}`

/** The market of the primary listing of a stock. */
export interface ListingKeyAnswer {
  readonly asset: { readonly data: { readonly stock: { readonly mic: string | null } | null } }
}

interface Found {
  readonly asset_search: {
    readonly data: readonly {
      readonly asset_id: number
      readonly slug: string
      readonly ticker: string
      readonly name: string
      readonly asset_class: AssetClassName
    }[]
  }
}

/** Country, nine letters or digits, and a check digit. */
const ISIN_FORM = /^[A-Z]{2}[A-Z0-9]{9}\d$/i

/** The slug of the asset that has exactly this ticker, ISIN or integer key, in small letters or capitals; null for another text. */
export async function findSlug(text: string): Promise<string | null> {
  const { asset_search } = await runQuery<Found>(FIND, { q: text })
  const [found] = asset_search.data
  if (found === undefined) return null
  const { asset_id, slug, ticker } = found
  const isNamed = [ticker, String(asset_id)].includes(text.toUpperCase()) || ISIN_FORM.test(text)
  return isNamed ? slug : null
}

/** The asset that a name, ticker, slug or identifier finds first. Rejects if it finds none. */
export async function findChartedAsset(text: string): Promise<ChartedAsset> {
  const { asset_search } = await runQuery<Found>(FIND, { q: text })
  const [found] = asset_search.data
  if (found === undefined)
    throw new RequestError(`No asset matches “${text}”. Write a name, a ticker or an ISIN.`, 'not_found')
  const { slug, ticker, name, asset_class } = found
  const asset = { slug, ticker, name, asset_class }
  if (asset_class !== 'stock') return { ...asset, mic: null }
  const { asset: card } = await runQuery<ListingKeyAnswer>(LISTING_KEY, { slug })
  return { ...asset, mic: card.data.stock?.mic ?? null }
}
