import { ApiError } from '../core/errors.js'
import type { Caller, Principal } from './principal.js'
import { SCOPES, type Scope } from './scopes.js'

/** Who may run a root field: anyone, any caller with a key or token, or a caller with the scope. */
export type AccessRule = 'open' | 'caller' | Scope

/** Returns when the principal may pass; throws 401 for a missing caller, 403 (naming the scope) for a missing scope. */
export function requireAccess(principal: Principal, rule: AccessRule): void {
  if (rule === 'open') return
  const caller = requireCaller(principal)
  if (rule === 'caller' || caller.scopes.has(rule)) return
  throw missingScope(caller, rule)
}

/** The caller behind a principal; 401 for anonymous. */
export function requireCaller(principal: Principal): Caller {
  if (principal.kind === 'anonymous') throw new ApiError('unauthorized')
  return principal
}

/** A 403 that names the scope and how it is had. */
export function missingScope(caller: Caller, scope: Scope): ApiError {
  const from = SCOPES[scope].from
  const how = from === null ? 'it is given by grant only' : `it comes with tier ${from} and above`
  return new ApiError('forbidden', {
    message: `This needs the scope ${scope}: ${how}; your key has tier ${caller.tier}.`,
    requiredScope: scope,
    upgrade: from !== null,
  })
}
