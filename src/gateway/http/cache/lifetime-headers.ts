import type { ResponseHead } from '../../../platform/response-cache/cached-response.js'

/** Headers for the lifetime of a response and the data versions it depends on; alternating lower-case names and values. */
export function lifetimeHeaders(
  { etag, dataVersion, endsAtMs, refreshAtMs }: Lifetime,
  now: Date,
): readonly string[] {
  if (etag === null) return ['x-data-version', dataVersion]
  const nowMs = now.getTime()
  const untilMs = Math.min(refreshAtMs ?? nowMs, endsAtMs ?? Number.POSITIVE_INFINITY)
  const seconds = Math.max(0, Math.floor((untilMs - nowMs) / 1000))
  const use = seconds === 0 ? 'no-cache' : `max-age=${seconds}`
  return ['x-data-version', dataVersion, 'etag', etag, 'cache-control', `private, ${use}`]
}

export interface Lifetime extends Pick<ResponseHead, 'etag' | 'endsAtMs' | 'refreshAtMs'> {
  /** `instruments=3, candles=17`. */
  readonly dataVersion: string
}
