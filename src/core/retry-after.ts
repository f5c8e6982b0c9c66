/** The format of HTTP dates, including obsolete ones; Date.parse would accept `-5`. */
const DATE = /^[A-Z][a-z]{2,8},? /

/**
 * The wait that a Retry-After header asks for (RFC 9110 §10.2.3: seconds or an HTTP date), in milliseconds from `now`, 0 for
 * a date that has passed. Null without a valid header.
 */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000
  const ms = DATE.test(text) ? Date.parse(text) - now.getTime() : Number.NaN
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
