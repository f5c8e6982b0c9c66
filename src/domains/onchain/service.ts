import { ApiError, notFound } from '../../core/errors.js'
import type { EvmAddress } from '../../core/identifiers.js'
import { type IsoDate, toIsoDate } from '../../core/time.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { keptSnapshot, liveSnapshot, snapshotDays } from './loaders.js'
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

/** A snapshot as it is answered. */
export interface ShownSnapshot {
  readonly chain: Chain
  readonly snapshot: AddressSnapshot
  /** It is given instead of one of today, which could not be made. */
  readonly isFallback: boolean
}

/** An address with its snapshot, or why there is none. */
export interface AddressOutcome {
  readonly address: EvmAddress
  readonly outcome: ShownSnapshot | Missing
}

/** The snapshot of the first address of the question; throws why there is none: 404, 429 or 503. */
export async function getAddressSnapshot(
  query: SnapshotsQuery,
  context: RequestContext,
): Promise<ShownSnapshot> {
  const [first] = await listAddressSnapshots(query, context)
  if (first === undefined) throw new Error('a question has an address')
  if ('error' in first.outcome) throw first.outcome.error
  return first.outcome
}

/**
 * A snapshot of each address in the order asked for, each different address read once, all new ones of a chain at one
 * block. Throws only where there is none at all: the error of the first.
 */
export async function listAddressSnapshots(
  { chain, addresses, pastDay }: SnapshotsQuery,
  context: RequestContext,
): Promise<readonly AddressOutcome[]> {
  const outcomes = await Promise.all(
    addresses.map(async (address): Promise<AddressOutcome> => {
      const key = { chainId: chain.chainId, address }
      const outcome =
        pastDay === null ? await ofToday(chain, key, context) : await ofDay(pastDay, chain, key, context)
      return { address, outcome }
    }),
  )
  const first = outcomes[0]?.outcome
  if (first !== undefined && 'error' in first && outcomes.every(({ outcome }) => 'error' in outcome))
    throw first.error
  return outcomes
}

/** The one that is kept of today, else a new one, else the newest there is. */
async function ofToday(
  chain: Chain,
  key: AddressKey,
  context: RequestContext,
): Promise<ShownSnapshot | Missing> {
  const canAsk = context.ports.get(chainReaderPort).chainIds.has(chain.chainId)
  const newest = await keptSnapshot(context).load({ ...key, day: null })
  if (newest !== null && isGood(newest, canAsk, context.now))
    return { chain, snapshot: newest, isFallback: false }
  const live = canAsk ? await liveSnapshot(context).load(key) : null
  if (live !== null && 'snapshot' in live) return { chain, snapshot: live.snapshot, isFallback: false }
  if (newest === null) return live ?? { error: notConfigured(chain, context) }
  const isFallback =
    newest.snapshotDate !== toIsoDate(context.now) || (canAsk && newest.source !== CHAIN_SOURCE)
  return { chain, snapshot: newest, isFallback }
}

/** Whether a kept snapshot answers the question of today: where nodes are configured, synthetic ones do not. */
function isGood(snapshot: AddressSnapshot, canAsk: boolean, now: Date): boolean {
  if (snapshot.snapshotDate !== toIsoDate(now)) return false
  if (!canAsk) return true
  if (snapshot.source !== CHAIN_SOURCE) return false
  return isComplete(snapshot) || now.getTime() - snapshot.fetchedAt.getTime() < UNNAMED_KEPT_MS
}

function notConfigured({ chainId, name }: Chain, { now }: RequestContext): ApiError {
  return new ApiError('service_unavailable', {
    message: `This gateway has no node of ${name} to ask (RPC_URLS_${chainId} is not set) and no snapshot of the address.`,
    retryAfter: Math.ceil(now.getTime() / 1000) + RETRY_AFTER_UNCONFIGURED_S,
  })
}

async function ofDay(
  day: IsoDate,
  chain: Chain,
  key: AddressKey,
  context: RequestContext,
): Promise<ShownSnapshot | Missing> {
  const snapshot = await keptSnapshot(context).load({ ...key, day })
  if (snapshot !== null) return { chain, snapshot, isFallback: false }
  const days = (await snapshotDays(context).load(key)) ?? []
  const known = days.length === 0 ? 'There is none of any day' : `The newest there are: ${days.join(', ')}`
  return { error: notFound(`There is no snapshot of ${key.address} on ${chain.name} of ${day}. ${known}.`) }
}
