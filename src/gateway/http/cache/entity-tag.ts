import { createHash } from 'node:crypto'
import { type DatasetName, registeredDatasets } from '../../../core/datasets.js'
import { type DataPart, grainNameOf } from '../../../platform/database/versions/data-parts.js'
import { type DatasetStates, stampIn } from '../../../platform/database/versions/data-version.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { VERSION } from '../../../platform/version.js'
import { isReadMethod } from '../read-method.js'
import { NameSet } from './name-set.js'
import { readGrains, writeGrains } from './tag-grains.js'

/** What a response depends on besides its request and the caller's scopes. */
export interface TagContents {
  readonly reads: readonly DataPart[]
  /** Epoch milliseconds; Infinity if only new data invalidates the response. */
  readonly endsAtMs: number
  /** When newer data is due, epoch milliseconds. Omitted for a response without an age. */
  readonly refreshAtMs?: number
}

const HASH_LENGTH = 22
const FOR_EVER = '-'
const TAG =
  /^(?:W\/)?("([\w-]{22})\.([0-9a-v]+)\.(-|[0-9a-z]+)(?:\.([0-9a-z]+))?((?:![0-9a-z]+:[a-z0-9.-]+){0,16})")$/

/**
 * Creates the weak ETag of a response: a hash of its key, the states of what it was read from and this release, followed by
 * the whole datasets, the end of its validity, the time when newer data is due, and the grains. From this any node can decide
 * whether a client's response is still valid, without computing or caching it.
 */
export function entityTag(
  key: string,
  validity: TagContents,
  states: DatasetStates,
  datasets = datasetNames(),
): string {
  const { reads, endsAtMs, refreshAtMs } = validity
  const end = endsAtMs === Number.POSITIVE_INFINITY ? FOR_EVER : Math.ceil(endsAtMs).toString(36)
  const times = refreshAtMs === undefined ? end : `${end}.${Math.floor(refreshAtMs).toString(36)}`
  const whole = reads.filter(isWhole)
  const grains = reads.filter((part) => !isWhole(part))
  const hash = hashOf(key, [...whole, ...grains], times, states)
  return `W/"${hash}.${datasets.write(whole)}.${times}${writeGrains(grains, datasets)}"`
}

function isWhole(part: DataPart): part is DatasetName {
  return grainNameOf(part) === null
}

let names: NameSet<DatasetName> | undefined

/** Created when the first ETag is written or read, because all datasets are registered by then. */
function datasetNames(): NameSet<DatasetName> {
  names ??= new NameSet(registeredDatasets())
  return names
}

/** Whether the request has `If-None-Match: *`, which matches any existing response. */
export function namesAny(exchange: Pick<Exchange, 'header' | 'method'>): boolean {
  return isReadMethod(exchange.method) && exchange.header('if-none-match')?.trim() === '*'
}

/** An ETag that still matches, and its contents. */
export interface CurrentTag extends TagContents {
  readonly tag: string
}

/**
 * Returns the ETag of an If-None-Match header that matches the current response (weak comparison, RFC 9110 §8.8.3.2), or
 * null. `namesAny` handles `*`.
 */
export function findCurrentTag(
  header: string,
  key: string,
  states: DatasetStates,
  now: Date,
  datasets = datasetNames(),
): CurrentTag | null {
  for (const text of header.split(',')) {
    const [, tag, hash, names = '', end = '', refresh, grains = ''] = TAG.exec(text.trim()) ?? []
    if (hash === undefined) continue
    const endsAtMs = end === FOR_EVER ? Number.POSITIVE_INFINITY : Number.parseInt(end, 36)
    if (endsAtMs <= now.getTime()) continue
    const reads = [...datasets.read(names), ...readGrains(grains, datasets)]
    const times = refresh === undefined ? end : `${end}.${refresh}`
    if (hash !== hashOf(key, reads, times, states)) continue
    const due = refresh === undefined ? {} : { refreshAtMs: Number.parseInt(refresh, 36) }
    return { tag: `W/${tag}`, reads, endsAtMs, ...due }
  }
  return null
}

function hashOf(key: string, reads: readonly DataPart[], times: string, states: DatasetStates): string {
  const stamps = reads.map((part) => `${part}=${stampIn(states, part)}`).join(' ')
  const text = `${VERSION}\n${key}\n${stamps}\n${times}`
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)
}
