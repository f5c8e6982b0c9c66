/** Origins whose pages may read responses. */
export type CorsOrigins = 'any' | ReadonlySet<string>

/** More are no list, but everybody. */
const MAX_ORIGINS = 100

/** The origins of `CORS_ORIGINS`: `*` for any, `none`, or a list by comma; null for a text that is none of them. */
export function parseCorsOrigins(text: string): CorsOrigins | null {
  if (text.trim() === '*') return 'any'
  if (text.trim() === 'none') return new Set()
  const origins = text.split(',').map((origin) => origin.trim())
  return origins.length <= MAX_ORIGINS && origins.every(isOrigin) ? new Set(origins) : null
}

/** As browsers write it: scheme, host and port that is not the usual one, in lower case, without a slash behind. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:\/\//.test(text) && new URL(text).origin === text
}
