import { LRUCache } from 'lru-cache'
import type { Sql } from '../../../platform/database/database.js'
import type { Logger } from '../../../platform/logger.js'
import type { ApiKeyText } from '../../../platform/secrets/api-key-format.js'
import { acceptedPeppers, type PepperOverlap, pepperId } from '../../../platform/secrets/peppers.js'
import { keyDigest } from '../../../platform/secrets/secrets.js'
import { type CallerRecord, cacheKeyCallers, type KeyDigests, type KeyRecord } from '../loaders.js'
import { DigestMover } from './digest-mover.js'

/** Number of cached digests of recently used keys. The cache holds key texts in memory only. */
const MAX_DIGESTS = 10_000

/** Finds the callers of API keys. */
export interface KeyFinder {
  /** Null for an unknown key. Without a promise for a key that was read within the last half second. `parse` throws for a text that is no key. */
  find(text: string, parse: (text: string) => ApiKeyText): CallerRecord | null | Promise<CallerRecord | null>
  /** Drops the cached callers with these digests. */
  forget(digests: readonly Uint8Array[]): void
  /** Stores the digests that are to be moved; the database must still be open. */
  close(): Promise<void>
}

export interface KeyFinderOptions {
  readonly sql: Sql
  readonly log: Pick<Logger, 'warn'>
  readonly pepper: string
  readonly overlap: PepperOverlap
}

/**
 * One statement looks a key up by its digests of all accepted peppers: it sees the key before or after another node moves its
 * digest, and so always finds it.
 */
export function createKeyFinder({ sql, log, pepper, overlap }: KeyFinderOptions): KeyFinder {
  const keys = cacheKeyCallers(sql)
  const digests = new LRUCache<string, KeyDigests>({ max: MAX_DIGESTS })
  /** Digests of these stay as they are. A key of an earlier version names no pepper. */
  const staying: readonly (string | null)[] = [pepper, overlap.next].flatMap((one) =>
    one === null ? [] : [pepperId(one)],
  )
  const mover = new DigestMover(sql, pepperId(pepper), log)
  const [, ...others] = acceptedPeppers(pepper, overlap)
  const digestsOf = (key: ApiKeyText): KeyDigests => [
    keyDigest(pepper, key).toString('hex'),
    ...others.map((other) => keyDigest(other, key).toString('hex')),
  ]
  const found = (record: KeyRecord | null, known: KeyDigests): CallerRecord | null => {
    if (record === null || staying.includes(record.pepperId)) return record
    mover.note({ keyId: record.keyId, from: record.digest, to: known[0] }, () => keys.forget(known))
    return record
  }
  return {
    find: (text, parse) => {
      let known = digests.get(text)
      if (known === undefined) {
        known = digestsOf(parse(text))
        digests.set(text, known)
      }
      const ofKey = known
      const record = keys.get(ofKey)
      return record instanceof Promise ? record.then((read) => found(read, ofKey)) : found(record, ofKey)
    },
    forget: (stored) => {
      const forgotten = new Set(stored.map((digest) => Buffer.from(digest).toString('hex')))
      for (const known of digests.values()) if (known.some((one) => forgotten.has(one))) keys.forget(known)
    },
    close: () => mover.close(),
  }
}
