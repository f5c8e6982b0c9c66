import type { Caller } from '../../../src/policy/principal.js'
import { policiesOf, type QuotaStatus } from '../../../src/policy/quota.js'

export const FREE: Caller = {
  kind: 'key',
  accountId: 'a',
  meterId: 'meter',
  keyId: 'k',
  tier: 'free',
  scopes: new Set(),
  isNarrowed: false,
  endsAt: null,
  contract: null,
}

/** Standings of the free caller: hour, month and (for discover) day, with the units used of each. */
export function freeStandings(now: Date, ...used: readonly number[]): readonly QuotaStatus[] {
  const policies = policiesOf(FREE, used.length === 3 ? 'discover' : 'metered', now)
  return policies.map((policy, index) => ({ policy, used: used[index] ?? 0 }))
}
