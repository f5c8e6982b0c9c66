import { Cluster, type Redis } from 'ioredis'
import { failureText } from '../../../core/failure-text.js'
import { connectRedis } from '../../../platform/redis/connect-redis.js'
import { redisHosts } from '../../../platform/redis/redis-address.js'
import { answerWithin, REDIS_ANSWER_MS } from '../../../platform/redis/redis-answer.js'
import type { RedisClient } from '../../../platform/redis/redis-connection.js'
import { type Finding, ok, problem, warning } from './finding.js'

const CONNECT_MS = 2_000

/** Checks whether Redis answers and how it evicts keys; of a cluster each master, and whether it has a replica. */
export async function checkRedis(url: string | null, isEmbedded: boolean): Promise<Finding> {
  if (url === null) {
    const where = isEmbedded ? 'by this process' : 'in PostgreSQL, exactly, for all nodes'
    return ok('redis', `not configured: quotas are counted ${where}`)
  }
  const hosts = redisHosts(url)
  let onReady = () => {}
  let onLost = (_: Error) => {}
  const isReady = new Promise<void>((resolve, reject) => {
    onReady = resolve
    onLost = reject // the first loss has the reason; later calls of a settled promise have no effect
  })
  const connection = connectRedis(url, { keyPrefix: '', onReady: () => onReady(), onLost: (e) => onLost(e) })
  try {
    await answerWithin(CONNECT_MS, isReady)
    return judge(
      hosts,
      await Promise.all(mastersOf(connection.redis).map(examineServer)),
      connection.isCluster,
    )
  } catch (error) {
    const why = failureText(error)
    const message = `${hosts} is unreachable (${why}): each node counts quotas by itself, so n nodes together admit up to n times a quota`
    return problem('redis', message, 'start Redis or correct REDIS_URL; nodes reconnect by themselves')
  } finally {
    await connection.close()
  }
}

function mastersOf(client: RedisClient): readonly Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client]
}

interface ServerState {
  readonly roundTripMs: number
  /** How it evicts keys when its memory is full; null: it evicts none. */
  readonly eviction: string | null
  readonly isInCluster: boolean
  readonly replicas: number
}

async function examineServer(redis: Redis): Promise<ServerState> {
  const startedAt = performance.now()
  await answerWithin(REDIS_ANSWER_MS, redis.ping())
  const roundTripMs = performance.now() - startedAt
  const info = await answerWithin(REDIS_ANSWER_MS, redis.info())
  const lines = info.split(/\r?\n/)
  const figure = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
  const policy = figure('maxmemory_policy') ?? 'noeviction'
  return {
    roundTripMs,
    eviction: Number(figure('maxmemory') ?? 0) === 0 || policy === 'noeviction' ? null : policy,
    isInCluster: figure('cluster_enabled') === '1',
    replicas: Number(figure('connected_slaves') ?? 0),
  }
}

function judge(hosts: string, masters: readonly ServerState[], isCluster: boolean): Finding {
  const roundTripMs = Math.max(...masters.map((master) => master.roundTripMs)).toFixed(1)
  if (!isCluster && masters.some(({ isInCluster }) => isInCluster)) {
    return problem('redis', `${hosts} belongs to a Redis Cluster`, `set REDIS_URL=redis+cluster://${hosts}`)
  }
  const message = isCluster
    ? `the cluster at ${hosts} answers with ${masters.length} masters in ${roundTripMs} ms`
    : `${hosts} answers in ${roundTripMs} ms`
  const eviction = masters.find((master) => master.eviction !== null)?.eviction
  if (eviction) {
    return warning(
      'redis',
      `${message}, but evicts keys when its memory is full (${eviction}), so counters may restart from 0`,
      'set maxmemory-policy noeviction',
    )
  }
  const alone = isCluster ? masters.filter(({ replicas }) => replicas === 0).length : 0
  if (alone === 0) return ok('redis', message)
  return warning(
    'redis',
    `${message}, but ${alone} of them have no replica: while one is lost, each node counts its quotas by itself`,
    'add a replica to each master',
  )
}
