import { connectRedis } from '../redis/connect-redis.js'
import { answerWithin, REDIS_ANSWER_MS } from '../redis/redis-answer.js'
import type { LeasedPlace, PlaceStore } from './places.js'

/**
 * A name is a sorted set of holders by the end of their leases, in milliseconds of Redis' own clock. Arguments: limit,
 * milliseconds of the lease, holder. Returns 1 where the holder has a place now, 0 where others hold all.
 */
const LEASE = `
local time = redis.call('time')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
local is_held = redis.call('zscore', KEYS[1], ARGV[3])
if not is_held and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('zadd', KEYS[1], now + tonumber(ARGV[2]), ARGV[3])
redis.call('pexpire', KEYS[1], ARGV[2])
return 1`

/** The places of a gateway whose processes share a Redis. */
export function createRedisPlaces(url: string): PlaceStore {
  let setReady = () => {}
  /** At the start a stream waits for the first connection; later ones fail at once while there is none. */
  const isReady = new Promise<void>((resolve) => {
    setReady = resolve
  })
  // The counters log when Redis is lost.
  const connection = connectRedis(url, {
    keyPrefix: 'mdg:place:',
    onReady: () => setReady(),
    onLost: () => {},
  })
  const { redis } = connection
  const lease = async ({ name, limit, holder }: LeasedPlace, leaseMs: number): Promise<string | null> => {
    await answerWithin(REDIS_ANSWER_MS, isReady)
    const held = await answerWithin(REDIS_ANSWER_MS, redis.eval(LEASE, 1, name, limit, leaseMs, holder))
    return held === 1 ? slotOf({ name, holder }) : null
  }
  return {
    lease,
    // Leasing again also restores a lease that Redis has lost.
    renew: async (places, leaseMs) => {
      const slots = await Promise.all(places.map((place) => lease(place, leaseMs)))
      return new Set(slots.filter((slot) => slot !== null))
    },
    release: async ({ name, holder }) => {
      await answerWithin(REDIS_ANSWER_MS, redis.zrem(name, holder))
    },
    close: () => connection.close(),
  }
}

function slotOf({ name, holder }: Pick<LeasedPlace, 'name' | 'holder'>): string {
  return `${name} ${holder}`
}
