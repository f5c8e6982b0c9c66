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

/** Creates `X-Is-Dev-Dataset` and the headers of what `provenanceOf` tells, for a body in another form than JSON. */
export function toSourceHeaders(data: unknown): readonly string[] {
  return [
    ...toProvenanceHeaders(data),
    ...provenanceOf(data).flatMap(([name, text]) => [
      `x-${name}`,
      text.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent),
    ]),
  ]
}

type Provenance = keyof typeof METADATA_NAMES

/** Members of the envelope by the end of their header, `x-`, and as the metadata of a columnar file has them. */
export const METADATA_NAMES = {
  'data-source': 'source',
  'data-freshness': 'freshness_status',
  'last-updated': 'last_updated_at',
  'data-quality': 'data_quality',
  'ended-on': 'ended_on',
  release: 'release',
} as const

/** Source, freshness, completeness, end and release of the series, from an envelope or a bare body. Unknown values are omitted. */
export function provenanceOf(data: unknown): readonly (readonly [Provenance, string])[] {
  const meta = memberOf(data, 'meta')
  const freshness = memberOf(data, '_meta')
  const sources = memberOf(freshness, 'sources')
  const listed = Array.isArray(sources) ? sources.join(', ') : null
  const known: readonly (readonly [Provenance, unknown])[] = [
    ['data-source', memberOf(meta, 'source') ?? memberOf(data, 'source') ?? listed],
    ['data-freshness', memberOf(freshness, 'freshness_status')],
    ['last-updated', memberOf(freshness, 'last_updated_at')],
    ['data-quality', memberOf(meta, 'data_quality') ?? memberOf(data, 'data_quality')],
    ['ended-on', memberOf(data, 'ended_on')],
    ['release', memberOf(freshness, 'release')],
  ]
  return known.flatMap(([name, value]) => (value === null ? [] : [[name, textOf(value)] as const]))
}

export function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
