import { groupBy } from '../../core/group-by.js'
import type { IsoDate } from '../../core/time.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
import { chainQuestions, type LiveOutcome } from './chain-questions.js'
import { type AddressKey, type AddressSnapshot, MAX_ADDRESSES } from './model.js'
import { loadAddressSnapshots, loadSnapshotDays, type SnapshotKey } from './store.js'

const addressText = ({ chainId, address }: AddressKey) => `${chainId} ${address}`
const snapshotText = (key: SnapshotKey) => `${addressText(key)} ${key.day}`

/** A stored snapshot, or null. All snapshots of a request share one statement. */
export const storedSnapshot = defineLoader<SnapshotKey, AddressSnapshot>(
  (keys, { database }) => loadAddressSnapshots(database, keys),
  snapshotText,
)

/** Maximum of days that a message names. */
const NAMED_DAYS = 10

/** The newest days with a snapshot of an address, newest first. All addresses share one statement. */
export const snapshotDays = defineLoader<AddressKey, readonly IsoDate[]>(
  (keys, { database }) => loadSnapshotDays(database, keys, NAMED_DAYS),
  addressText,
)

/** A new snapshot from the chain. Addresses of the same chain are read together. */
export const liveSnapshot = defineLoader<AddressKey, LiveOutcome>(async (keys, context) => {
  const questions = chainQuestions(context)
  const asks = [...groupBy(keys, ({ chainId }) => String(chainId)).values()].flatMap((ofChain) =>
    inBatches(ofChain).map(async (batch) => {
      const { chainId } = ofChain[0]
      const addresses = batch.map(({ address }) => address)
      const outcomes = await questions.ask(chainId, addresses, context)
      return [...outcomes].map(([address, outcome]) => [addressText({ chainId, address }), outcome] as const)
    }),
  )
  return new Map((await Promise.all(asks)).flat())
}, addressText)

function inBatches(keys: readonly AddressKey[]): readonly (readonly AddressKey[])[] {
  const batches: AddressKey[][] = []
  for (let start = 0; start < keys.length; start += MAX_ADDRESSES)
    batches.push(keys.slice(start, start + MAX_ADDRESSES))
  return batches
}
