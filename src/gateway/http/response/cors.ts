import type { CorsOrigins } from '../../../config/cors-origins.js'
import { ApiError } from '../../../core/errors.js'

/** Headers that pages in browsers may read, such as limits and freshness. */
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
  'X-Release',
  'X-Total-Count',
  'Preference-Applied',
  'X-Receipt',
].join(', ')

const MAX_AGE_SECONDS = '86400'

/**
 * Headers that let a page read the response, if the operator allows its origin. By default any origin is allowed, because
 * callers are authenticated by key and never by cookie.
 */
export function corsHeaders(origin: string, origins: CorsOrigins): readonly string[] {
  if (!isAllowedOrigin(origin, origins)) return []
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED]
}

/** Whether the operator allows pages of this origin to read responses. */
export function isAllowedOrigin(origin: string, origins: CorsOrigins): boolean {
  return origins === 'any' || origins.has(origin)
}

/** The error for a page whose origin is not allowed. WebSockets and agents need it, because they send no preflight. */
export function originNotAllowed(): ApiError {
  return new ApiError('forbidden', {
    message: 'Pages of this origin may not connect. The operator can allow it with CORS_ORIGINS.',
  })
}

/** Headers of the response to a preflight: the methods and headers that a page of another origin may send. */
export function preflightHeaders(requestedHeaders: string | null): readonly string[] {
  return [
    'access-control-allow-methods',
    'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
    'access-control-max-age',
    MAX_AGE_SECONDS,
    ...(requestedHeaders === null ? [] : ['access-control-allow-headers', requestedHeaders]),
  ]
}
