import type { FeedRequest } from '../../feed.js'

/** The service and the operator's key; null: requests have no key, and the provider allows fewer of them. */
export interface OpenFigiAccount {
  /** Base URL, e.g. https://api.openfigi.com. */
  readonly url: string
  readonly apiKey: string | null
}

/** An HTTP request. */
export interface MappingRequest {
  readonly path: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What is looked up by one identifier. */
export interface MappingJob {
  readonly idType: 'TICKER' | 'ID_BB_GLOBAL' | 'ID_ISIN'
  readonly idValue: string
  /** Code of OpenFIGI for a market or a country, e.g. US; all markets if absent. */
  readonly exchCode?: string
}

/** The request for several identifiers: OpenFIGI v3, POST /v3/mapping. */
export function mappingRequest(jobs: readonly MappingJob[], apiKey: string | null): MappingRequest {
  return {
    path: '/v3/mapping',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === null ? {} : { 'x-openfigi-apikey': apiKey }),
    },
    body: JSON.stringify(jobs),
  }
}

/** The same as the request of a feed. */
export function mappingFeedRequest(
  jobs: readonly MappingJob[],
  { url, apiKey }: OpenFigiAccount,
): FeedRequest {
  const { path, ...request } = mappingRequest(jobs, apiKey)
  return { ...request, url: url.replace(/\/+$/, '') + path }
}
