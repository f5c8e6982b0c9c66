import { addDays, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { loadUsage, USAGE_DAYS } from '../../platform/usage/usage.js'
import { requireCaller } from '../../policy/decide.js'
import { policiesOf, remainingUnits } from '../../policy/quota.js'
import { countersPort, usagePort } from '../access/model.js'
import type { PolicyUsage, Usage } from './model.js'

/** Returns the usage of the caller's quotas and the units charged per day and operation. 401 without a caller. */
export async function getUsage(context: RequestContext): Promise<Usage> {
  const caller = requireCaller(context.principal)
  const policies = policiesOf(caller, 'discover', context.now)
  const charges = policies.map(({ counterKey, quota, windowEnd }) => ({
    key: counterKey,
    owner: caller.accountId,
    quota,
    units: 0,
    windowEnd,
  }))
  const used = await context.ports.get(countersPort).peek(charges, context.now)
  // The response must include usage that this node has not written yet.
  await context.ports.get(usagePort).flush()
  const to = toIsoDate(context.now)
  const rows = await loadUsage(context.database.prisma, {
    accountId: caller.accountId,
    from: addDays(to, 1 - USAGE_DAYS),
    to,
  })
  return {
    tier: caller.tier,
    policies: policies.map((policy, index): PolicyUsage => {
      const status = { policy, used: used[index] ?? 0 }
      return {
        policy: policy.name as PolicyUsage['policy'], // the demo key has no access to `usage`
        used: status.used,
        quota: policy.quota,
        remaining: remainingUnits(status),
        reset: policy.windowEnd,
      }
    }),
    days: rows.map(({ day, ...row }) => ({ date: day, ...row })),
  }
}
