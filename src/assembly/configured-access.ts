import type { Config } from '../config.js'
import type { Clock } from '../core/time.js'
import type { Access } from '../domains/access/model.js'
import { createAccess } from '../domains/access/service.js'
import type { Database } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'
import { SERVED_SCOPES } from './served-scopes.js'

export interface AccessParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

/** Access control with the secrets of an installation; close it before its database. */
export function configuredAccess(config: Config, parts: AccessParts): Access {
  return createAccess({
    ...parts,
    pepper: config.keyPepper,
    tokenKeys: config.jwtKeys,
    mode: config.isDevelopment ? 'test' : 'live',
    servedScopes: SERVED_SCOPES,
  })
}
