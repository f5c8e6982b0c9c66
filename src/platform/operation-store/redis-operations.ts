import { sha256Hex } from '../../core/canonical-json.js'
import type { Logger } from '../logger.js'
import type { RedisClient } from '../redis/redis-connection.js'
import { connectSharedCache } from '../redis/shared-cache.js'

/** Maximum memory of all operations in Redis. */
const MAX_BYTES = 32 * 2 ** 20

/** Approximate memory of Redis' structures for one operation. */
const OVERHEAD_BYTES = 512

/** All operations expire when none was stored for this long. */
const KEEP_MS = 30 * 24 * 3_600_000

/** The braces place all keys on one node of a cluster. */
const KEYS = {
  /** Hash: text by SHA-256. */
  texts: '{all}:texts',
  /** Sorted set: bytes by owner. */
  owners: '{all}:owners',
  /** Sorted set with equal scores, so sorted by text: owner, instant, SHA-256, bytes. An owner's oldest operation is the first. */
  entries: '{all}:entries',
  /** Bytes of all owners. */
  bytes: '{all}:bytes',
}

/**
 * Stores a text, then removes others like FairLru. Keys as above. Arguments: SHA-256, text, owner, instant (13 digits),
 * bytes, maximum bytes of all, milliseconds. If Redis has evicted one of the keys, all start empty.
 */
const KEEP = `
if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return end
redis.call('hset', KEYS[1], ARGV[1], ARGV[2])
redis.call('zincrby', KEYS[2], ARGV[5], ARGV[3])
redis.call('zadd', KEYS[3], 0, table.concat({ARGV[3], ARGV[4], ARGV[1], ARGV[5]}, ' '))
local total = redis.call('incrby', KEYS[4], ARGV[5])
while total > tonumber(ARGV[6]) do
  local owner = redis.call('zrevrange', KEYS[2], 0, 0)[1] or ''
  local entry = redis.call('zrangebylex', KEYS[3], '[' .. owner .. ' ', '+', 'LIMIT', 0, 1)[1] or ''
  local hash, bytes = string.match(entry, ' %d+ (%x+) (%d+)$')
  if hash == nil or string.sub(entry, 1, #owner + 1) ~= owner .. ' ' then
    redis.call('del', unpack(KEYS))
    return
  end
  redis.call('hdel', KEYS[1], hash)
  redis.call('zrem', KEYS[3], entry)
  if tonumber(redis.call('zincrby', KEYS[2], -bytes, owner)) <= 0 then redis.call('zrem', KEYS[2], owner) end
  total = redis.call('decrby', KEYS[4], bytes)
end
for _, key in ipairs(KEYS) do redis.call('pexpire', key, ARGV[7]) end`

type KeepingRedis = RedisClient & {
  keepOperation(...keysAndArguments: readonly (string | number)[]): Promise<null>
}

/** Operations that nodes share. A failure is a miss, never an error: the client sends the text. */
export interface SharedOperations {
  find(hash: string): Promise<string | null>
  keep(hash: string, text: string, owner: string): void
  close(): Promise<void>
}

export interface SharedOperationsOptions {
  readonly keyPrefix?: string
  readonly maxBytes?: number
}

/** Operations in Redis, bounded by bytes. Without Redis every look-up is a miss. */
export function createSharedOperations(
  url: string,
  log: Pick<Logger, 'warn'>,
  { keyPrefix = 'mdg:operation:', maxBytes = MAX_BYTES }: SharedOperationsOptions = {},
): SharedOperations {
  const { redis, lookUp, close } = connectSharedCache(url, {
    keyPrefix,
    log,
    whileLost: 'persisted operations are stored on this node only',
  })
  redis.defineCommand('keepOperation', { lua: KEEP, numberOfKeys: 4 })
  const keeping = redis as KeepingRedis // defined in the line before
  let lastMs = 0
  return {
    find: (hash) =>
      lookUp(
        () => redis.hget(KEYS.texts, hash),
        (text) => (sha256Hex(text) === hash ? text : null),
      ),
    keep: (hash, text, owner) => {
      if (redis.status !== 'ready') return
      const { texts, owners, entries, bytes } = KEYS
      const size = Buffer.byteLength(text) + OVERHEAD_BYTES
      // Two texts of one millisecond keep their order.
      lastMs = Math.max(Date.now(), lastMs + 1)
      const instant = String(lastMs).padStart(13, '0')
      // A text that could not be stored is one more miss.
      keeping
        .keepOperation(texts, owners, entries, bytes, hash, text, owner, instant, size, maxBytes, KEEP_MS)
        .catch(() => {})
    },
    close,
  }
}
