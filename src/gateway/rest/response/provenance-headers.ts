import { memberOf } from './table.js'

/** What synthetic data name as their source. */
const SEED = 'seed'

/**
 * `X-Is-Dev-Dataset`: whether any of the data are synthetic, by `meta` or by the sources of the body. Nothing for a body
 * without a source.
 */
export function toProvenanceHeaders(data: unknown): readonly string[] {
  const isDev = memberOf(memberOf(data, 'meta'), 'is_dev_dataset') ?? isSeed(data)
  return isDev === null ? [] : ['x-is-dev-dataset', String(isDev)]
}

/** Whether a JSON body leaves the origin of its data to the header: it has no `meta` that says it. */
export function leavesProvenanceToHeader(data: unknown): boolean {
  return memberOf(memberOf(data, 'meta'), 'is_dev_dataset') === null
}

function isSeed(data: unknown): boolean | null {
  const source = memberOf(data, 'source')
  const sources = memberOf(memberOf(data, '_meta'), 'sources')
  if (source === null && !Array.isArray(sources)) return null
  return source === SEED || (Array.isArray(sources) && sources.includes(SEED))
}
