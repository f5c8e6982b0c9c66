import type { Logger } from '../logger.js'
import { FairLru } from './fair-lru.js'
import { createSharedOperations, type SharedOperations } from './redis-operations.js'

/** Memory per process: some thousand operations. */
const MAX_BYTES = 4 * 2 ** 20

/** Texts of persisted operations by their SHA-256 (64 lower-case hex digits), in memory and, if configured, in Redis. */
export interface OperationStore {
  /** Returns null for an unknown or evicted text. `owner` is the account of the request. */
  find(hash: string, owner: string): string | null | Promise<string | null>
  /** Stores a text in the share of its `owner`, an account. */
  keep(hash: string, text: string, owner: string): void
  close(): Promise<void>
}

export interface OperationStoreOptions {
  readonly redisUrl: string | null
  readonly log: Pick<Logger, 'warn'>
  readonly maxBytes?: number
}

export function createOperationStore({
  redisUrl,
  log,
  maxBytes = MAX_BYTES,
}: OperationStoreOptions): OperationStore {
  const texts = new FairLru(maxBytes)
  const shared = redisUrl === null ? null : createSharedOperations(redisUrl, log)
  const fromShared = async (hash: string, owner: string, operations: SharedOperations) => {
    const text = await operations.find(hash)
    if (text !== null) texts.set(hash, text, owner)
    return text
  }
  return {
    find: (hash, owner) => texts.get(hash) ?? (shared === null ? null : fromShared(hash, owner, shared)),
    keep: (hash, text, owner) => {
      if (texts.has(hash)) return
      texts.set(hash, text, owner)
      shared?.keep(hash, text, owner)
    },
    close: async () => shared?.close(),
  }
}
