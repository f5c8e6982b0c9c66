import type { JSX } from 'preact'
import { formatInstant } from './format.js'
import { Badge, SyntheticNote } from './panel.js'

/** How old an answer is and where it comes from, as `_meta` says it. */
export interface FreshnessMeta {
  readonly freshness_status: string
  readonly last_updated_at: string
  readonly sources: readonly string[]
}

export const TONES: Readonly<Record<string, string>> = { fresh: 'good', stale: 'warn', expired: 'bad' }

/** The members of FreshnessMeta in a query. */
export const FRESHNESS = '_meta { freshness_status last_updated_at sources }'

/** One line below data: age and sources. */
export function FreshnessLine({ meta }: { readonly meta: FreshnessMeta }): JSX.Element {
  const named = meta.sources.filter((source) => source !== 'seed')
  return (
    <p class="quiet">
      <Badge tone={TONES[meta.freshness_status] ?? 'quiet'} text={meta.freshness_status} />{' '}
      <SyntheticNote isSynthetic={meta.sources.includes('seed')} /> Data of{' '}
      {formatInstant(meta.last_updated_at)}
      {named.length > 0 && <> from {named.join(', ')}</>}.
    </p>
  )
}
