import { addDays, isoDateOf } from '../../core/time.js'
import { readUsage, USAGE_DAYS } from '../../platform/counters/usage.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireCaller } from '../../policy/decide.js'
import { policiesOf, remainingOf } from '../../policy/quota.js'
import { countersPort, usagePort } from '../access/model.js'
import type { PolicyUsage, Usage } from './model.js'

/** The state of the caller's quotas and what was charged per day and operation; free of charge. 401 without a caller. */
export async function getUsage(context: RequestContext): Promise<Usage> {
  const caller = requireCaller(context.principal)
  const policies = policiesOf(caller, 'discover', context.now)
  const charges = policies.map(({ counterKey, quota, windowEnd }) => ({
    key: counterKey,
    quota,
    units: 0,
    windowEnd,
  }))
  const used = await context.ports.get(countersPort).peek(charges, context.now)
  // What this node has not written yet belongs to the answer.
  await context.ports.get(usagePort).flush()
  const to = isoDateOf(context.now)
  const rows = await readUsage(context.database.prisma, {
    accountId: caller.accountId,
    from: addDays(to, 1 - USAGE_DAYS),
    to,
  })
  return {
    tier: caller.tier,
    policies: policies.map((policy, index): PolicyUsage => {
      const standing = { policy, used: used[index] ?? 0 }
      return {
        policy: policy.name,
        used: standing.used,
        quota: policy.quota,
        remaining: remainingOf(standing),
        reset: policy.windowEnd,
      }
    }),
    days: rows.map(({ day, ...row }) => ({ date: day, ...row })),
  }
}
