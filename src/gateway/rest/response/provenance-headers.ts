import { memberOf } from './table.js'

/** The source name of synthetic data. */
const SEED = 'seed'

/**
 * Creates `X-Is-Dev-Dataset`: whether any data is synthetic, according to `meta` or to the sources of the body. Returns no
 * header for a body without a source.
 */
export function toProvenanceHeaders(data: unknown): readonly string[] {
  const isDev = memberOf(memberOf(data, 'meta'), 'is_dev_dataset') ?? isSeed(data)
  return isDev === null ? [] : ['x-is-dev-dataset', String(isDev)]
}

/** Whether a JSON body needs the header, because it has no `meta.is_dev_dataset`. */
export function leavesProvenanceToHeader(data: unknown): boolean {
  return memberOf(memberOf(data, 'meta'), 'is_dev_dataset') === null
}

function isSeed(data: unknown): boolean | null {
  const source = memberOf(data, 'source')
  const sources = memberOf(memberOf(data, '_meta'), 'sources')
  if (source === null && !Array.isArray(sources)) return null
  return source === SEED || (Array.isArray(sources) && sources.includes(SEED))
}
