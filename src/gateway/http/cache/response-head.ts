import { stampIn } from '../../../platform/database/versions/data-version.js'
import type { PreparedOperation } from '../../../platform/request/transport.js'
import type { ResponseHead } from '../../../platform/response-cache/cached-response.js'
import type { Run } from './consistent-run.js'
import { entityTag } from './entity-tag.js'

/** Headers that are the same each time a response is served. */
const LASTING_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'link',
  'content-disposition',
  'x-total-count',
  'x-is-dev-dataset',
  'x-data-source',
  'x-data-freshness',
  'x-last-updated',
  'x-data-quality',
  'x-ended-on',
  'x-release',
  'preference-applied',
])

/** Creates the head of a response that was read from datasets. `tagKey` is null if it cannot be revalidated. */
export function toResponseHead(
  { reads, price, isAlwaysRevalidated = false }: PreparedOperation,
  { result, datasets, validity }: Run,
  tagKey: string | null,
): ResponseHead {
  const { endsAtMs } = validity
  // Without a time at which newer data is due, clients must revalidate.
  const refreshAtMs = isAlwaysRevalidated ? Number.POSITIVE_INFINITY : validity.refreshAtMs
  const times = Number.isFinite(refreshAtMs) ? { endsAtMs, refreshAtMs } : { endsAtMs }
  return {
    stamps: reads.map((part) => [part, stampIn(datasets, part)] as const),
    endsAtMs: finiteOrNull(endsAtMs),
    refreshAtMs: finiteOrNull(refreshAtMs),
    etag: tagKey === null ? null : entityTag(tagKey, { reads, ...times }, datasets),
    headers: lasting(result.headers),
    price,
  }
}

function finiteOrNull(instantMs: number): number | null {
  return Number.isFinite(instantMs) ? instantMs : null
}

function lasting(headers: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (LASTING_HEADERS.has(name)) kept.push(name, headers[at + 1] ?? '')
  }
  return kept
}
