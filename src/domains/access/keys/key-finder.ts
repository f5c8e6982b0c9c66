import { LRUCache } from 'lru-cache'
import type { Sql } from '../../../platform/database/database.js'
import type { ApiKeyText } from '../../../platform/secrets/api-key-format.js'
import { keyDigest } from '../../../platform/secrets/secrets.js'
import { type CallerRecord, cacheKeyCallers } from '../loaders.js'

/** Number of cached digests of recently used keys. The cache holds key texts in memory only. */
const MAX_DIGESTS = 10_000

/** Finds the callers of API keys. */
export interface KeyFinder {
  /** Null for an unknown key. Without a promise for a key that was read within the last half second. `parse` throws for a text that is no key. */
  find(text: string, parse: (text: string) => ApiKeyText): CallerRecord | null | Promise<CallerRecord | null>
  /** Drops the cached callers with these digests. */
  forget(digests: readonly Uint8Array[]): void
}

export function createKeyFinder(sql: Sql): KeyFinder {
  const keys = cacheKeyCallers(sql)
  const digests = new LRUCache<string, string>({ max: MAX_DIGESTS })
  return {
    find: (text, parse) => {
      let digest = digests.get(text)
      if (digest === undefined) {
        digest = keyDigest(parse(text)).toString('hex')
        digests.set(text, digest)
      }
      return keys.get(digest)
    },
    forget: (stored) => {
      for (const digest of stored) keys.forget(Buffer.from(digest).toString('hex'))
    },
  }
}
