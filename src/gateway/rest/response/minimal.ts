import { RETURN_MINIMAL } from '../../../platform/request/preference.js'
import { memberOf } from './table.js'

/** The header of a minimal answer (RFC 7240 §3), as name and value. */
export const MINIMAL_HEADERS = ['preference-applied', RETURN_MINIMAL] as const

const MEMBERS = ['meta', '_meta'] as const

/** Returns the body without the members of `meta` and `_meta` that are null; null for a body that has neither. */
export function withoutNulls(body: unknown): Readonly<Record<string, unknown>> | null {
  const lean = MEMBERS.flatMap((name) => {
    const member = memberOf(body, name)
    return typeof member === 'object' && member !== null ? [[name, presentMembers(member)] as const] : []
  })
  return lean.length === 0 ? null : { ...(body as object), ...Object.fromEntries(lean) }
}

function presentMembers(member: object): object {
  return Object.fromEntries(Object.entries(member).filter(([, value]) => value !== null))
}
