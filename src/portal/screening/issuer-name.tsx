import type { JSX } from 'preact'
import { useQuery } from '../client/use-query.js'

const ISSUER = `query Issuer($lei: String!) {
  asset_search(q: $lei, limit: 1) { data { name slug lei } }
}`

interface Issuer {
  readonly asset_search: {
    readonly data: readonly { readonly name: string; readonly slug: string; readonly lei: string | null }[]
  }
}

/** The company among the assets that has an LEI, for an LEI that no list names. */
export function IssuerName({ lei }: { readonly lei: string }): JSX.Element {
  const { loaded } = useQuery<Issuer>({ document: ISSUER, variables: { lei }, rest: [] })
  const found = loaded.state === 'ready' ? loaded.answer.asset_search.data[0] : undefined
  return found?.lei === lei ? <a href={`/assets/${found.slug}`}>{found.name}</a> : <>–</>
}
