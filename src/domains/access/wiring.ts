import type { Config } from '../../config.js'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import type { Scope } from '../../policy/scopes.js'
import type { Access } from './model.js'
import { createAccess } from './service.js'

export interface AccessParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  /** The scopes that this version of the gateway offers. */
  readonly servedScopes: ReadonlySet<Scope>
}

/** Creates access control with the secrets of the configuration. Close it before its database. */
export function configuredAccess(
  config: Pick<Config, 'keyPepper' | 'jwtKeys' | 'isDevelopment'>,
  parts: AccessParts,
): Access {
  return createAccess({
    ...parts,
    pepper: config.keyPepper,
    tokenKeys: config.jwtKeys,
    mode: config.isDevelopment ? 'test' : 'live',
  })
}
