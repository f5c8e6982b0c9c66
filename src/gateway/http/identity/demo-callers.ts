import { LRUCache } from 'lru-cache'
import { ApiError } from '../../../core/errors.js'
import type { Access, Credentials } from '../../../domains/access/model.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { Caller, Principal } from '../../../policy/principal.js'
import type { Scope } from '../../../policy/scopes.js'
import { isForeignFetch } from './is-foreign-fetch.js'

/** Returns the principal of a request. `clientAddress` is the hashed address. */
export type Authenticate = (
  credentials: Credentials,
  now: Date,
  clientAddress: string,
) => Principal | Promise<Principal>

/** Number of visitors whose callers are kept. The caller of another one is created again for each request. */
const MAX_VISITORS = 10_000

const NO_SCOPES: ReadonlySet<Scope> = new Set()

/**
 * Authenticates with the demo key, which the pages publish, as a visitor: without scopes, even if the key has some, and with
 * quotas per client address. Null: no key is a demo key.
 */
export function withDemoKey(recognise: Access['recognise'], demoKey: string | null): Authenticate {
  const visitors = new LRUCache<string, Visitor>({ max: MAX_VISITORS })
  const toVisitor = (owner: Principal, clientAddress: string): Principal => {
    if (owner.kind === 'anonymous') return owner
    const known = visitors.get(clientAddress)
    if (known?.owner === owner) return known.caller
    const meterId = `${owner.accountId}:${clientAddress}`
    const caller: Caller = { ...owner, meterId, scopes: NO_SCOPES, isNarrowed: false, isDemo: true }
    visitors.set(clientAddress, { owner, caller })
    return caller
  }
  return (credentials, now, clientAddress) => {
    const principal = recognise(credentials, now)
    if (demoKey === null || credentials.apiKey !== demoKey) return principal
    return principal instanceof Promise
      ? principal.then((owner) => toVisitor(owner, clientAddress))
      : toVisitor(principal, clientAddress)
  }
}

/**
 * Refuses the demo key to a script of another site: each visitor has a quota, so a page of another site could use the key for
 * all its own visitors.
 */
export function assertOwnPage(principal: Principal, exchange: Pick<Exchange, 'header'>): void {
  if (principal.kind === 'anonymous' || !principal.isDemo || !isForeignFetch(exchange)) return
  throw new ApiError('forbidden', {
    message: "The demo key works in this gateway's own pages only; send a key of your own.",
  })
}

interface Visitor {
  /** The caller of the key, which changes when the key is read again. */
  readonly owner: Caller
  readonly caller: Caller
}
