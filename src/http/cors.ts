import type { DoorPlugin } from '../graphql/door-plugin.js'

/** Headers a browser may read, so that limits and freshness are visible there too. */
export const EXPOSED_HEADERS = [
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
] as const

const EXPOSED = EXPOSED_HEADERS.join(', ')

/** What lets a page of another origin read an answer. Any origin may: callers are known by key, never by cookie. */
export function corsHeaders(origin: string): readonly (readonly [name: string, value: string])[] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', EXPOSED],
  ]
}

/** The same for the REST door; yoga does it for its own answers, and for preflights of both. */
export function useCors(): DoorPlugin {
  return {
    onResponse({ request, response }) {
      const origin = request.headers.get('origin')
      if (origin === null) return
      for (const [name, value] of corsHeaders(origin)) response.headers.set(name, value)
      response.headers.append('vary', 'Origin')
    },
  }
}
