import { connectCluster } from './cluster-connection.js'
import { parseRedisUrl } from './redis-address.js'
import type { RedisConnection, RedisOptions } from './redis-connection.js'
import { connectServer } from './server-connection.js'

/**
 * Connects at once and reconnects by itself, at most a second after Redis is back. Without a connection commands fail at
 * once; none is queued or sent twice, because a charge sent twice would count twice.
 */
export function connectRedis(url: string, options: RedisOptions): RedisConnection {
  const address = parseRedisUrl(url)
  return address.kind === 'cluster' ? connectCluster(address, options) : connectServer(address.url, options)
}
