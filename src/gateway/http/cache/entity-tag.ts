import { createHash } from 'node:crypto'
import { type DatasetName, registeredDatasets } from '../../../core/datasets.js'
import { type DatasetStates, stampIn } from '../../../platform/database/data-version.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { VERSION } from '../../../platform/version.js'
import { isReadMethod } from '../read-method.js'
import { NameSet } from './name-set.js'

/** What a response depends on beside its request and who may see it. */
export interface TaggedFacts {
  readonly reads: readonly DatasetName[]
  /** Epoch milliseconds; Infinity where only new data end it. */
  readonly endsAtMs: number
  /** When newer facts are due, epoch milliseconds; left out for a response that shows no age. */
  readonly refreshAtMs?: number
}

const HASH_LENGTH = 22
const FOR_EVER = '-'
const TAG = /^(?:W\/)?("([\w-]{22})\.([0-9a-v]+)\.(-|[0-9a-z]+)(?:\.([0-9a-z]+))?")$/

/**
 * The weak tag of a response: a hash over its key, the states of what it was made from and this release; then which
 * datasets these are, until when it holds, and when newer facts are due. So any node can find out whether the response a
 * client has is still right, without making or caching it.
 */
export function entityTag(
  key: string,
  validity: TaggedFacts,
  states: DatasetStates,
  datasets = datasetNames(),
): string {
  const { reads, endsAtMs, refreshAtMs } = validity
  const end = endsAtMs === Number.POSITIVE_INFINITY ? FOR_EVER : Math.ceil(endsAtMs).toString(36)
  const times = refreshAtMs === undefined ? end : `${end}.${Math.floor(refreshAtMs).toString(36)}`
  return `W/"${hashOf(key, reads, times, states)}.${datasets.write(reads)}.${times}"`
}

let names: NameSet<DatasetName> | undefined

/** Of the datasets that are registered when the first tag is written or read: all models are loaded by then. */
function datasetNames(): NameSet<DatasetName> {
  names ??= new NameSet(registeredDatasets())
  return names
}

/** `If-None-Match: *`: any representation will do, so what exists is not sent again. */
export function namesAny(exchange: Pick<Exchange, 'header' | 'method'>): boolean {
  return isReadMethod(exchange.method) && exchange.header('if-none-match')?.trim() === '*'
}

/** A tag that still names the response, and what it says. */
export interface CurrentTag extends TaggedFacts {
  readonly tag: string
}

/**
 * The tag of an If-None-Match header that names the response as it is now (weak comparison, RFC 9110 §8.8.3.2); null when
 * none does. `*` is no tag: see `namesAny`.
 */
export function findCurrentTag(
  header: string,
  key: string,
  states: DatasetStates,
  now: Date,
  datasets = datasetNames(),
): CurrentTag | null {
  for (const text of header.split(',')) {
    const [, tag, hash, names = '', end = '', refresh] = TAG.exec(text.trim()) ?? []
    if (hash === undefined) continue
    const endsAtMs = end === FOR_EVER ? Number.POSITIVE_INFINITY : Number.parseInt(end, 36)
    if (endsAtMs <= now.getTime()) continue
    const reads = datasets.read(names)
    const times = refresh === undefined ? end : `${end}.${refresh}`
    if (hash !== hashOf(key, reads, times, states)) continue
    const due = refresh === undefined ? {} : { refreshAtMs: Number.parseInt(refresh, 36) }
    return { tag: `W/${tag}`, reads, endsAtMs, ...due }
  }
  return null
}

function hashOf(key: string, reads: readonly DatasetName[], times: string, states: DatasetStates): string {
  const stamps = reads.map((name) => `${name}=${stampIn(states, name)}`).join(' ')
  const text = `${VERSION}\n${key}\n${stamps}\n${times}`
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)
}
