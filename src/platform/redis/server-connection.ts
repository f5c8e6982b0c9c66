import { Redis } from 'ioredis'
import { breakSilent } from './break-silent.js'
import { closeClient, MAX_RECONNECT_MS, type RedisConnection, type RedisOptions } from './redis-connection.js'

/** As `connectRedis`, for one server. */
export function connectServer(url: string, { keyPrefix, onReady, onLost }: RedisOptions): RedisConnection {
  const redis = new Redis(url, {
    lazyConnect: true,
    keyPrefix,
    connectTimeout: 0, // breakSilent limits it
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_MS),
  })
  breakSilent(redis)
  redis.on('ready', onReady)
  redis.on('error', onLost)
  const onClose = () => onLost(new Error('the connection to Redis closed'))
  redis.on('close', onClose)
  // The error event reports a failed first attempt, which is retried like any later one.
  redis.connect().catch(() => {})
  return {
    redis,
    isCluster: false,
    isAnswering: () => false,
    drop: () => {
      if (redis.status === 'ready') redis.stream.destroy()
    },
    close: () => {
      redis.off('close', onClose)
      return closeClient(redis)
    },
  }
}
