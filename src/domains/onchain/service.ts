import { ApiError, notFound } from '../../core/errors.js'
import type { EvmAddress } from '../../core/identifiers.js'
import { type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { liveSnapshot, snapshotDays, storedSnapshot } from './loaders.js'
import {
  type AddressKey,
  type AddressSnapshot,
  CHAIN_SOURCE,
  type Chain,
  chainReaderPort,
  isComplete,
  type Missing,
  RETRY_AFTER_UNCONFIGURED_S,
  UNNAMED_KEPT_MS,
} from './model.js'
import type { SnapshotsQuery } from './query.js'

/** A snapshot as served. */
export interface ShownSnapshot {
  readonly chain: Chain
  readonly snapshot: AddressSnapshot
  /** True if it replaces a snapshot of today that could not be read. */
  readonly isFallback: boolean
}

/** An address with its snapshot, or the reason why it is missing. */
export interface AddressOutcome {
  readonly address: EvmAddress
  readonly outcome: ShownSnapshot | Missing
}

/** The snapshot of the first address of the query. Without one it throws the reason: a 404, 429 or 503. */
export async function getAddressSnapshot(
  query: SnapshotsQuery,
  context: RequestContext,
): Promise<ShownSnapshot> {
  const [first] = await listAddressSnapshots(query, context)
  if (first === undefined) throw new Error('a query for a snapshot has an address')
  if ('error' in first.outcome) throw first.outcome.error
  return first.outcome
}

/**
 * A snapshot of each address, in the order of the request. Each distinct address is read once, all new ones at one block. If
 * every snapshot is missing, it throws the error of the first.
 */
export async function listAddressSnapshots(
  { chain, addresses, pastDay }: SnapshotsQuery,
  context: RequestContext,
): Promise<readonly AddressOutcome[]> {
  const outcomes = await Promise.all(
    addresses.map(async (address): Promise<AddressOutcome> => {
      const key = { chainId: chain.chainId, address }
      const outcome =
        pastDay === null
          ? await loadToday(chain, key, context)
          : await loadPastDay(pastDay, chain, key, context)
      return { address, outcome }
    }),
  )
  const first = outcomes[0]?.outcome
  if (first !== undefined && 'error' in first && outcomes.every(({ outcome }) => 'error' in outcome))
    throw first.error
  return outcomes
}

/** The stored snapshot of today, otherwise a new one, otherwise the newest stored one. */
async function loadToday(
  chain: Chain,
  key: AddressKey,
  context: RequestContext,
): Promise<ShownSnapshot | Missing> {
  const canAsk = context.ports.get(chainReaderPort).chainIds.has(chain.chainId)
  const newest = await storedSnapshot(context).load({ ...key, day: null })
  if (newest !== null && isGood(newest, canAsk, context.now))
    return { chain, snapshot: newest, isFallback: false }
  const live = canAsk ? await liveSnapshot(context).load(key) : null
  if (live !== null && 'snapshot' in live) return { chain, snapshot: live.snapshot, isFallback: false }
  if (newest === null) return live ?? { error: notConfigured(chain, context) }
  const isFallback =
    newest.snapshotDate !== toIsoDate(context.now) || (canAsk && newest.source !== CHAIN_SOURCE)
  return { chain, snapshot: newest, isFallback }
}

/** Whether a stored snapshot can be served for today. If nodes are configured, a synthetic one cannot. */
function isGood(snapshot: AddressSnapshot, canAsk: boolean, now: Date): boolean {
  if (snapshot.snapshotDate !== toIsoDate(now)) return false
  if (!canAsk) return true
  if (snapshot.source !== CHAIN_SOURCE) return false
  return isComplete(snapshot) || now.getTime() - snapshot.fetchedAt.getTime() < UNNAMED_KEPT_MS
}

function notConfigured({ chainId, name }: Chain, { now }: RequestContext): ApiError {
  return new ApiError('service_unavailable', {
    message: `No snapshot of the address is stored, and no node of ${name} is configured. The operator has to set RPC_URLS_${chainId}.`,
    retryAfter: Math.ceil(now.getTime() / 1000) + RETRY_AFTER_UNCONFIGURED_S,
  })
}

async function loadPastDay(
  day: IsoDate,
  chain: Chain,
  key: AddressKey,
  context: RequestContext,
): Promise<ShownSnapshot | Missing> {
  const snapshot = await storedSnapshot(context).load({ ...key, day })
  if (snapshot !== null) return { chain, snapshot, isFallback: false }
  const days = (await snapshotDays(context).load(key)) ?? []
  const known =
    days.length === 0 ? 'No other day has one either' : `The newest days with one are ${days.join(', ')}`
  return {
    error: notFound(`No snapshot of ${key.address} on ${chain.name} is stored for ${day}. ${known}.`),
  }
}
