import { ApiError, noCredential } from '../core/errors.js'
import type { Caller, Principal } from './principal.js'
import { SCOPE_NAMES, SCOPES, type Scope, scopesOfTier } from './scopes.js'

/**
 * Who may run a root field: anyone, any caller, a caller with an account (not the demo key), a caller with an access token,
 * or a caller with the scope.
 */
export type AccessRule = 'open' | 'caller' | 'account' | 'token' | Scope

/** Returns when the principal may pass; throws 401 for a missing caller, 403 (with the reason) for one who may not. */
export function requireAccess(principal: Principal, rule: AccessRule): void {
  if (rule === 'open') return
  const caller = requireCaller(principal)
  if (rule === 'caller') return
  if (caller.isDemo) throw demoRefusal(rule)
  if (rule === 'account') return
  if (rule === 'token') requireToken(caller)
  else if (!caller.scopes.has(rule)) throw missingScope(caller, rule)
}

/** The caller behind a principal; 401 for anonymous. */
export function requireCaller(principal: Principal): Caller {
  if (principal.kind === 'anonymous') throw noCredential()
  return principal
}

function requireToken({ kind }: Caller): void {
  if (kind === 'token') return
  throw new ApiError('forbidden', {
    message: (name) => `This needs an access token, which ${name('login')} gives; an API key is not enough.`,
  })
}

/** The 403 for a visitor with the demo key. */
function demoRefusal(rule: Exclude<AccessRule, 'open' | 'caller'>): ApiError {
  if (rule === 'account' || rule === 'token') {
    return new ApiError('forbidden', {
      message: 'The demo key only reads market data and has no account; sign in, or send your own key.',
    })
  }
  const { from } = SCOPES[rule]
  const how = from === null ? 'is given by grant only' : `comes with tier ${from} and above`
  return new ApiError('forbidden', {
    message: `This needs the scope ${rule}, which ${how}; the demo key has none. Sign in, or send your own key.`,
    requiredScope: rule,
  })
}

/** Whether the caller holds a scope; an anonymous caller holds none. */
export function holdsScope({ principal }: { readonly principal: Principal }, scope: Scope): boolean {
  return principal.kind !== 'anonymous' && principal.scopes.has(scope)
}

/** A 403 that names the missing scope and how to get it. */
export function missingScope(caller: Caller, scope: Scope): ApiError {
  return new ApiError('forbidden', {
    message: `This needs the scope ${scope}: ${reasonOf(caller, scope)}.`,
    requiredScope: scope,
  })
}

/** The properties of an account or key that decide which scopes it may hold. */
export type ScopeHolder = Pick<Caller, 'tier' | 'scopes' | 'isNarrowed'>

/** Why a caller lacks a scope: its key is narrowed, its tier is too low, or it was not granted. */
export function reasonOf({ tier, scopes, isNarrowed }: ScopeHolder, scope: Scope): string {
  const narrowing = `your key is narrowed to ${listOf(scopes)}`
  if (isNarrowed && scopesOfTier(tier).has(scope)) return narrowing
  const { from } = SCOPES[scope]
  const how = from === null ? 'it is given by grant only' : `it comes with tier ${from} and above`
  return `${how}; the account has tier ${tier}${isNarrowed ? `, and ${narrowing}` : ''}`
}

/** In the order of the scope table. */
function listOf(scopes: ReadonlySet<Scope>): string {
  return SCOPE_NAMES.filter((scope) => scopes.has(scope)).join(', ') || 'no scope'
}
