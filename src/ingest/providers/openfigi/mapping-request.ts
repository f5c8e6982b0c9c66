import type { RequestRate } from '../../../core/request-rate.js'
import { withoutTrailing } from '../../../core/without-trailing.js'
import type { FeedRequest } from '../../feed.js'
import { openFigi } from '../providers.js'

/** The service and the operator's key; null: requests have no key, and the provider allows fewer of them. */
export interface OpenFigiAccount {
  /** Base URL, e.g. https://api.openfigi.com. */
  readonly url: string
  readonly apiKey: string | null
}

/** The published limits: 25 requests a minute without a key, 25 in 6 seconds with one. */
const LIMITS = {
  withoutKey: { jobs: 10, requests: 25, inMs: 60_000 },
  withKey: { jobs: 100, requests: 25, inMs: 6_000 },
} as const

function limitsOf({ apiKey }: OpenFigiAccount) {
  return apiKey === null ? LIMITS.withoutKey : LIMITS.withKey
}

/** The most identifiers that one request may ask for. */
export function jobsPerRequest(account: OpenFigiAccount): number {
  return limitsOf(account).jobs
}

/** Jobs have half of the published rate, and look-ups of clients may use the other half at once. */
export function openFigiRate(account: OpenFigiAccount): RequestRate {
  const { requests, inMs } = limitsOf(account)
  return { provider: openFigi.id, pauseMs: (2 * inMs) / requests }
}

/**
 * A look-up of a client begins at once or not at all. With the pauses, bursts of 11 stay below 25 requests. Null: the operator's
 * service at another address admits as many as it wants.
 */
export function lookUpRate(account: OpenFigiAccount): RequestRate | null {
  const isPublic = new URL(account.url).host === 'api.openfigi.com'
  return isPublic ? { ...openFigiRate(account), burst: 11, maxWaitMs: 0 } : null
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

/** Where the service takes the request. */
export function mappingUrl({ url }: OpenFigiAccount, { path }: MappingRequest): string {
  return withoutTrailing(url, '/') + path
}

/** The same as the request of a feed. */
export function mappingFeedRequest(jobs: readonly MappingJob[], account: OpenFigiAccount): FeedRequest {
  const request = mappingRequest(jobs, account.apiKey)
  const { headers, body } = request
  return { url: mappingUrl(account, request), headers, body, rate: openFigiRate(account) }
}
