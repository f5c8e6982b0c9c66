import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import type { FeedRequest } from '../../feed.js'

const MAPPING_URL = 'https://api.openfigi.com/v3/mapping'

/** The published limits: 25 requests a minute without a key, 25 in 6 seconds with one. */
const LIMITS = {
  withoutKey: { jobs: 10, requests: 25, inMs: 60_000 },
  withKey: { jobs: 100, requests: 25, inMs: 6_000 },
} as const

function limitsWith(apiKey: string | null) {
  return apiKey === null ? LIMITS.withoutKey : LIMITS.withKey
}

/** The most identifiers that one request may ask for. */
export function jobsPerRequest(apiKey: string | null): number {
  return limitsWith(apiKey).jobs
}

/** Jobs have half of the published rate, and look-ups of clients may use the other half at once. */
export function openFigiRate(apiKey: string | null): RequestRate {
  const { requests, inMs } = limitsWith(apiKey)
  return { provider: PROVIDERS.openFigi.id, pauseMs: (2 * inMs) / requests }
}

/** A look-up of a client begins at once or not at all. With the pauses, bursts of 11 stay below 25 requests. */
export function lookUpRate(apiKey: string | null): RequestRate {
  return { ...openFigiRate(apiKey), burst: 11, maxWaitMs: 0 }
}

/** What is looked up by one identifier. */
export interface MappingJob {
  readonly idType: 'TICKER' | 'ID_BB_GLOBAL' | 'ID_ISIN'
  readonly idValue: string
  /** Code of OpenFIGI for a market or a country, e.g. US; all markets if absent. */
  readonly exchCode?: string
}

/** The request for several identifiers at the rate of jobs: OpenFIGI v3, POST /v3/mapping. */
export function mappingRequest(
  jobs: readonly MappingJob[],
  apiKey: string | null,
): FeedRequest & { readonly body: string } {
  return {
    url: MAPPING_URL,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === null ? {} : { 'x-openfigi-apikey': apiKey }),
    },
    body: JSON.stringify(jobs),
    rate: openFigiRate(apiKey),
  }
}

/** The provider writes share classes and the padding of London's short tickers with a slash: BRK/B, BP/. */
export function slashed(ticker: string): string {
  return ticker.replaceAll(/[.-]/g, '/')
}
