import { ApiError } from '../../../core/errors.js'
import { SCOPE_NAMES } from '../../../policy/scopes.js'
import type { Access } from '../model.js'

/**
 * Returns why a key cannot be the demo key, which everybody can read in the pages; null if it can. A demo key works, is of
 * tier free, and has no scope, because a node without the setting would accept it with its scopes.
 */
export async function findDemoKeyFault(access: Access, apiKey: string): Promise<string | null> {
  try {
    const owner = await access.authenticate({ apiKey, bearer: null })
    if (owner.kind === 'anonymous') return 'is empty'
    if (owner.tier !== 'free') return `belongs to an account of tier ${owner.tier}; it must be of tier free`
    const scopes = SCOPE_NAMES.filter((scope) => owner.scopes.has(scope))
    return scopes.length === 0 ? null : `has the scopes ${scopes.join(', ')}; it must have none`
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized')
      return error.details[0]?.message ?? error.message
    throw error
  }
}
