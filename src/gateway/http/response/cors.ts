import type { CorsOrigins } from '../../../core/cors-origins.js'
import { ApiError } from '../../../core/errors.js'

/** Headers a browser may read, so that limits and freshness are visible there too. */
const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'Link',
  'ETag',
  'Content-Disposition',
  'X-Data-Source',
  'X-Data-Version',
  'X-Is-Dev-Dataset',
  'X-Data-Freshness',
  'X-Last-Updated',
  'X-Data-Quality',
  'X-Ended-On',
  'X-Total-Count',
].join(', ')

const MAX_AGE_SECONDS = '86400'

/**
 * What lets a page of another origin read a response, where the operator lets that origin. By default any may: callers are
 * known by key, never by cookie.
 */
export function corsHeaders(origin: string, origins: CorsOrigins): readonly string[] {
  if (!isAllowedOrigin(origin, origins)) return []
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED]
}

/** Whether the operator lets pages of this origin read what they ask for. */
export function isAllowedOrigin(origin: string, origins: CorsOrigins): boolean {
  return origins === 'any' || origins.has(origin)
}

/** The refusal of a page whose origin the operator does not let in, where no browser would ask before. */
export function foreignPage(): ApiError {
  return new ApiError('forbidden', {
    message: 'Pages of this origin may not connect. The operator can allow it with CORS_ORIGINS.',
  })
}

/** The answer to a preflight request: what a page of another origin may send. */
export function preflightHeaders(asked: string | null): readonly string[] {
  return [
    'access-control-allow-methods',
    'GET, HEAD, POST, DELETE, OPTIONS',
    'access-control-max-age',
    MAX_AGE_SECONDS,
    ...(asked === null ? [] : ['access-control-allow-headers', asked]),
  ]
}
