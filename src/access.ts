import type { Config } from './config.js'
import type { Clock } from './core/time.js'
import type { Access } from './domains/access/model.js'
import { createAccess } from './domains/access/service.js'
import { subscriptionOfAccount } from './domains/newsletter/subscription-store.js'
import { webhooksOfAccount } from './domains/webhooks/webhook-store.js'
import type { Database } from './platform/database/database.js'
import type { Logger } from './platform/logger.js'
import { SERVED_SCOPES } from './served-scopes.js'

/** What access control gets from the rest of the gateway. */
export const ACCESS_PARTS = {
  servedScopes: SERVED_SCOPES,
  listeners: [webhooksOfAccount, subscriptionOfAccount],
} as const

/** Creates access control with the secrets of the configuration. Close it before its database. */
export function configuredAccess(
  config: Pick<Config, 'keyPepper' | 'jwtKeys' | 'isDevelopment'>,
  parts: { readonly database: Database; readonly clock: Clock; readonly log: Logger },
): Access {
  return createAccess({
    ...parts,
    ...ACCESS_PARTS,
    pepper: config.keyPepper,
    tokenKeys: config.jwtKeys,
    mode: config.isDevelopment ? 'test' : 'live',
  })
}
