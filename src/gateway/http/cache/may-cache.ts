import type { Principal } from '../../../policy/principal.js'

/** Anonymous callers pay nothing, so they could fill the cache for free. */
export function mayCache({ kind }: Principal): boolean {
  return kind !== 'anonymous'
}
