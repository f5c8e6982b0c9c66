import type { ResponseHead } from '../../../platform/response-cache/cached-response.js'
import type { CacheHit } from '../../../platform/response-cache/response-cache.js'

/** The first run with real data replaces synthetic data before these are due. */
const DEV_SECONDS = 3_600

/**
 * Headers for the lifetime of a response and the data versions that it has, such as `candles=17, instruments=3`; alternating
 * lower-case names and values. Clients use synthetic data for at most
 * an hour.
 */
export function lifetimeHeaders(
  { etag, endsAtMs, refreshAtMs }: Pick<ResponseHead, 'etag' | 'endsAtMs' | 'refreshAtMs'>,
  { dataVersion, isDevDataset }: Pick<CacheHit, 'dataVersion' | 'isDevDataset'>,
  now: Date,
): readonly string[] {
  if (etag === null) return ['x-data-version', dataVersion]
  const nowMs = now.getTime()
  const untilMs = Math.min(refreshAtMs ?? nowMs, endsAtMs ?? Number.POSITIVE_INFINITY)
  const longest = isDevDataset ? DEV_SECONDS : Number.POSITIVE_INFINITY
  const seconds = Math.min(longest, Math.max(0, Math.floor((untilMs - nowMs) / 1000)))
  const use = seconds === 0 ? 'no-cache' : `max-age=${seconds}`
  return ['x-data-version', dataVersion, 'etag', etag, 'cache-control', `private, ${use}`]
}
