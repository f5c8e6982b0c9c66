import { Cluster, type Redis } from 'ioredis'
import { failureText } from '../core/failure-text.js'
import { connectRedis } from '../platform/redis/connect-redis.js'
import { redisHosts } from '../platform/redis/redis-address.js'
import { answerWithin, REDIS_ANSWER_MS } from '../platform/redis/redis-answer.js'
import type { RedisClient } from '../platform/redis/redis-connection.js'
import { type Finding, off, ok, problem, warning } from './finding.js'

const CONNECT_MS = 2_000

/** Checks whether Redis answers, keeps its keys, and in a cluster whether each master has a replica. */
export async function checkRedis(url: string | null, isEmbedded: boolean): Promise<readonly Finding[]> {
  if (url === null) {
    const where = isEmbedded ? 'by this process' : 'in PostgreSQL, exactly, for all nodes'
    return [off('redis', `not configured: quotas are counted ${where}`, 'set REDIS_URL for several nodes')]
  }
  let onReady = () => {}
  let onLost = (_: Error) => {}
  const isReady = new Promise<void>((resolve, reject) => {
    onReady = resolve
    onLost = reject // the first loss has the reason; later calls of a settled promise have no effect
  })
  const connection = connectRedis(url, {
    ...{ keyPrefix: '', onReady: () => onReady(), onLost: (e) => onLost(e) },
    isReadyIfDown: true, // each master is checked by itself
  })
  try {
    const lost: unknown = await answerWithin(CONNECT_MS, isReady).then(
      () => null,
      (error) => error,
    )
    const masters = mastersOf(connection.redis)
    // A cluster that lost one master still names the others.
    if (lost !== null && (!connection.isCluster || masters.length === 0))
      return [unreachable('redis', redisHosts(url), lost)]
    return await Promise.all(masters.map((redis) => checkServer(redis, url, connection.isCluster)))
  } finally {
    await connection.close()
  }
}

function unreachable(check: string, hosts: string, error: unknown): Finding {
  const message = `${hosts} is unreachable (${failureText(error)}): each node counts quotas by itself, so n nodes together admit up to n times a quota`
  return problem(check, message, 'start Redis or correct REDIS_URL; nodes reconnect by themselves')
}

function mastersOf(client: RedisClient): readonly Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client]
}

/** Checks one server: the only one, or a master of the cluster. */
async function checkServer(redis: Redis, url: string, isCluster: boolean): Promise<Finding> {
  const host = isCluster ? `${redis.options.host}:${redis.options.port}` : redisHosts(url)
  const check = isCluster ? `redis ${host}` : 'redis'
  try {
    const startedAt = performance.now()
    await answerWithin(REDIS_ANSWER_MS, redis.ping())
    const message = `${host} answers in ${(performance.now() - startedAt).toFixed(1)} ms`
    const info = await answerWithin(REDIS_ANSWER_MS, redis.info())
    return judge(check, host, message, info, isCluster)
  } catch (error) {
    return unreachable(check, host, error)
  }
}

/** `info` is the answer of the server to INFO. */
function judge(check: string, host: string, message: string, info: string, isCluster: boolean): Finding {
  const lines = info.split(/\r?\n/)
  const figure = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
  if (!isCluster && figure('cluster_enabled') === '1')
    return problem(check, `${host} belongs to a Redis Cluster`, `set REDIS_URL=redis+cluster://${host}`)
  const policy = figure('maxmemory_policy') ?? 'noeviction'
  if (Number(figure('maxmemory') ?? 0) > 0 && policy !== 'noeviction') {
    return warning(
      check,
      `${message}, but evicts keys when its memory is full (${policy}), so counters may restart from 0`,
      'set maxmemory-policy noeviction',
    )
  }
  if (!isCluster || Number(figure('connected_slaves') ?? 0) > 0) return ok(check, message)
  return warning(
    check,
    `${message}, but has no replica: while it is lost, each node counts its quotas by itself`,
    'add a replica to this master',
  )
}
