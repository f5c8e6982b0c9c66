import { type QuotaStatus, remainingUnits, secondsUntil, tightestOf } from '../../../policy/quota.js'

/** Parts of the headers that stay the same during a window. */
interface WindowTexts {
  readonly policies: string
  /** `"hour";r=` per policy, in order. */
  readonly remaining: readonly string[]
}

const textsByWindow = new WeakMap<QuotaStatus['policy'], WindowTexts>()

/**
 * Headers of an authenticated response, alternating lower-case names and values: X-RateLimit-* describe the tightest window
 * (reset in epoch seconds), RateLimit and RateLimit-Policy every window (draft-ietf-httpapi-ratelimit-headers: q quota,
 * w seconds, r remaining, t seconds to the reset). Returns no headers without statuses.
 */
export function limitHeaders(statuses: readonly QuotaStatus[], now: Date): readonly string[] {
  const tightest = tightestOf(statuses)
  const first = statuses[0]
  if (tightest === null || first === undefined) return []
  const texts = textsOf(first.policy, statuses)
  let remaining = ''
  for (const [index, status] of statuses.entries()) {
    const seconds = secondsUntil(status.policy.windowEnd, now)
    remaining += `${index > 0 ? ', ' : ''}${texts.remaining[index] ?? ''}${remainingUnits(status)};t=${seconds}`
  }
  return [
    'x-ratelimit-limit',
    String(tightest.policy.quota),
    'x-ratelimit-remaining',
    String(remainingUnits(tightest)),
    'x-ratelimit-reset',
    String(Math.ceil(tightest.policy.windowEnd.getTime() / 1000)),
    'ratelimit-policy',
    texts.policies,
    'ratelimit',
    remaining,
  ]
}

/** The headers without X-RateLimit-*, for the refusal of a limit that is no quota and has these headers itself. */
export function withoutTightest(headers: readonly string[]): readonly string[] {
  return headers.slice(headers.indexOf('ratelimit-policy'))
}

/** A caller has one list of policies per window, so its first policy identifies the list; the discover list is another. */
function textsOf(first: QuotaStatus['policy'], statuses: readonly QuotaStatus[]): WindowTexts {
  const known = textsByWindow.get(first)
  if (known !== undefined && known.remaining.length === statuses.length) return known
  const texts = {
    policies: statuses
      .map(({ policy }) => `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}`)
      .join(', '),
    remaining: statuses.map(({ policy }) => `"${policy.name}";r=`),
  }
  textsByWindow.set(first, texts)
  return texts
}
