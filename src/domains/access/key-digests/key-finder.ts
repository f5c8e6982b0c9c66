import { LRUCache } from 'lru-cache'
import type { Sql } from '../../../platform/database/database.js'
import type { Logger } from '../../../platform/logger.js'
import type { ApiKeyText } from '../../../platform/secrets/api-key-format.js'
import { acceptedPeppers, type PepperOverlap, pepperId } from '../../../platform/secrets/peppers.js'
import { keyDigest } from '../../../platform/secrets/secrets.js'
import { type CallerRecord, cacheKeyCallers } from '../loaders.js'
import { DigestMover } from './digest-mover.js'

/** The digests of one key, hex. */
interface KeyDigests {
  readonly current: string
  /** In the order of look-ups; the first one is the one that was found last. */
  order: readonly string[]
}

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
 * Digests move from the older to the newer pepper only, so the older one is looked up first: a key that is not there any more is
 * found under the newer one, whenever another node moves it. Unknown keys cost one more look-up during a rotation.
 */
export function createKeyFinder({ sql, log, pepper, overlap }: KeyFinderOptions): KeyFinder {
  const keys = cacheKeyCallers(sql)
  const digests = new LRUCache<string, KeyDigests>({ max: MAX_DIGESTS })
  /** Digests of these stay as they are. A key of an earlier version names no pepper. */
  const staying: readonly (string | null)[] = [pepper, overlap.next].flatMap((one) =>
    one === null ? [] : [pepperId(one)],
  )
  const mover = new DigestMover(sql, pepperId(pepper), log, (move) => keys.forget(move.from))
  const [, ...others] = acceptedPeppers(pepper, overlap)
  const digestsOf = (key: ApiKeyText): KeyDigests => {
    const current = keyDigest(pepper, key).toString('hex')
    const second = others.map((other) => keyDigest(other, key).toString('hex'))
    return { current, order: overlap.next === null ? [...second, current] : [current, ...second] }
  }
  const found = (record: CallerRecord, from: string, { current }: KeyDigests): CallerRecord => {
    const { keyId } = record.caller
    if (keyId !== null && !staying.includes(record.pepperId)) mover.note({ keyId, from, to: current })
    return record
  }
  const findNext = async (known: KeyDigests, at: number): Promise<CallerRecord | null> => {
    const digest = known.order[at]
    if (digest === undefined) return null
    const record = await keys.get(digest)
    if (record === null) return findNext(known, at + 1)
    known.order = [digest, ...known.order.filter((other) => other !== digest)]
    return found(record, digest, known)
  }
  return {
    find: (text, parse) => {
      let known = digests.get(text)
      if (known === undefined) {
        known = digestsOf(parse(text))
        digests.set(text, known)
      }
      const [first = known.current] = known.order
      const record = keys.get(first)
      if (record === null && known.order.length === 1) return null
      return record === null || record instanceof Promise ? findNext(known, 0) : found(record, first, known)
    },
    forget: (stored) => {
      for (const digest of stored) keys.forget(Buffer.from(digest).toString('hex'))
    },
    close: () => mover.close(),
  }
}
