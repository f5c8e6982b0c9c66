import { leasedRows } from '../../platform/outbox/leased-rows.js'
import { TIERS, type Tier } from '../../policy/tiers.js'
import { effectiveScopes } from '../access/model.js'
import { WEBHOOK_SCOPE } from './model.js'

/** The queue has one row for each event of each webhook. `$1` of its statements is the term of the dispatcher. */
export const QUEUE = leasedRows({
  table: 'webhook_delivery',
  lease: 'webhooks',
  key: { webhookId: 'uuid', diffId: 'int8' },
})

/** The tiers that include the scope of webhooks. */
export const SCOPE_TIERS: readonly Tier[] = TIERS.filter((tier) =>
  effectiveScopes({ tier, grants: [] }, null).has(WEBHOOK_SCOPE),
)

/** SQL condition: the account, and the key that created the webhook, may read the changes now. */
export const accessAt = (now: string, tiers: string) =>
  `a.deleted_at is null and (a.tier = any(${tiers}::text[]) or '${WEBHOOK_SCOPE}' = any(a.grants))
   and (w.key_id is null or coalesce(
     (k.revoked_at is null or k.revoked_at > ${now}) and (k.expires_at is null or k.expires_at > ${now})
     and (not k.is_narrowed or '${WEBHOOK_SCOPE}' = any(k.scopes)), false))`
/** Account and key of a webhook. */
export const WITH_OWNER =
  'join account as a on a.account_id = w.account_id left join api_key as k on k.key_id = w.key_id'
