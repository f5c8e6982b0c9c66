/** Origins whose pages may read responses. */
export type CorsOrigins = 'any' | ReadonlySet<string>

/** Longer lists should be `*`. */
const MAX_ORIGINS = 100

/** The origins of `CORS_ORIGINS`: `*` for any, `none`, or a comma-separated list; null for other texts. */
export function parseCorsOrigins(text: string): CorsOrigins | null {
  if (text.trim() === '*') return 'any'
  if (text.trim() === 'none') return new Set()
  const origins = text.split(',').map((origin) => origin.trim())
  return origins.length <= MAX_ORIGINS && origins.every(isOrigin) ? new Set(origins) : null
}

/** The format of browsers: scheme, host and non-default port, in lower case, without a trailing slash. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//.test(text) && new URL(text).origin === text
}
