import { PROVIDERS, type Provider } from '../core/providers.js'
import { suggest } from '../core/suggest.js'
import { commodities } from './datasets/commodities/ingestion.js'
import { etf } from './datasets/etf/ingestion.js'
import { events } from './datasets/events/ingestion.js'
import { filings } from './datasets/filings/ingestion.js'
import { forex } from './datasets/forex/ingestion.js'
import { instruments } from './datasets/instruments/ingestion.js'
import { macro } from './datasets/macro/ingestion.js'
import { market } from './datasets/market/ingestion.js'
import { news } from './datasets/news/ingestion.js'
import { onchain } from './datasets/onchain/ingestion.js'
import { onchainMetrics } from './datasets/onchain-metrics/ingestion.js'
import { prices } from './datasets/prices/ingestion.js'
import { protocols } from './datasets/protocols/ingestion.js'
import { screening } from './datasets/screening/ingestion.js'
import { stocks } from './datasets/stocks/ingestion.js'
import { type BoundFeed, IngestError } from './feed.js'
import type { Ingestion } from './ingestion.js'
import { seedProvider } from './seed/values/seed-provider.js'

/** What each domain ingests. The seed is created in this order, so a domain that others refer to comes first. */
export const INGESTED = [
  instruments,
  stocks,
  forex,
  market,
  macro,
  onchain,
  screening,
  filings,
  prices,
  commodities,
  onchainMetrics,
  protocols,
  news,
  events,
  etf,
] as const satisfies readonly Ingestion[]

const DOMAINS: readonly Ingestion[] = INGESTED

/** Every feed that an operator may run, by id. */
export const FEEDS: readonly BoundFeed[] = DOMAINS.flatMap(({ feeds }) => feeds ?? [])

const PROVIDERS_BY_ID: ReadonlyMap<string, Provider> = new Map(
  [
    ...Object.values(PROVIDERS),
    seedProvider,
    ...DOMAINS.flatMap(({ providers = [] }) => providers),
    ...FEEDS.map(({ feed }) => feed.provider),
  ].map((provider) => [provider.id, provider]),
)

/** The licence of the data of a `source`. Null for an unknown source. */
export function licenceOfSource(source: string): string | null {
  return PROVIDERS_BY_ID.get(source)?.licence ?? null
}

/** Whether the terms of a provider allow commercial use of its data. Null for an unknown source. */
export function allowsCommercialUse(source: string): boolean | null {
  return PROVIDERS_BY_ID.get(source)?.licensedForCommercialUse ?? null
}

/** The feed with that id. Throws IngestError that suggests the most similar id, or lists all. */
export function findFeed(id: string): BoundFeed {
  const bound = FEEDS.find(({ feed }) => feed.id === id)
  if (bound !== undefined) return bound
  const ids = FEEDS.map(({ feed }) => feed.id)
  const likely = suggest(id, ids)
  const hint = likely === null ? `known are ${ids.join(', ')}` : `did you mean ${likely}?`
  throw new IngestError(`feed ${JSON.stringify(id)} does not exist; ${hint}`)
}
