import calculateSlot from 'cluster-key-slot'
import { Cluster, type Redis } from 'ioredis'
import { breakSilent } from './break-silent.js'
import type { RedisClusterAddress } from './redis-address.js'
import { OverdueAnswer, REDIS_ANSWER_MS } from './redis-answer.js'
import { closeClient, MAX_RECONNECT_MS, type RedisConnection, type RedisOptions } from './redis-connection.js'

/**
 * A command that is sent to the wrong server, or while its slot moves, is sent again by the client: it did not run. Eight
 * pauses of 30 ms are as long as an answer is waited for.
 */
const AGAIN_MS = 30
const MAX_REDIRECTIONS = 16

/** A server that does not say in this time which slots it has is passed over. */
const SLOTS_MS = 500

/**
 * As `connectRedis`, for a cluster. A command whose connection breaks is not sent again, because it may have run. While a
 * server is lost, commands for its slots fail, and those for others do not.
 */
export function connectCluster(
  { nodes, isEncrypted, username, password }: RedisClusterAddress,
  { keyPrefix, onReady, onLost, isReadyIfDown = false }: RedisOptions,
): RedisConnection {
  const cluster = new Cluster([...nodes], {
    lazyConnect: true,
    keyPrefix,
    enableOfflineQueue: false,
    enableReadyCheck: !isReadyIfDown,
    clusterRetryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_MS),
    // Certificates name hosts, so a host is not replaced by its IP address.
    dnsLookup: (host, callback) => callback(null, host),
    slotsRefreshTimeout: SLOTS_MS,
    maxRedirections: MAX_REDIRECTIONS,
    retryDelayOnTryAgain: AGAIN_MS,
    retryDelayOnClusterDown: AGAIN_MS,
    // Disables sending a command again whose connection broke.
    retryDelayOnFailover: 0,
    redisOptions: {
      connectTimeout: 0, // breakSilent limits it
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      ...(isEncrypted && { tls: {} }),
      ...(username !== null && { username }),
      ...(password !== null && { password }),
    },
  })
  cluster.on('ready', () => {
    openConnections(cluster)
    onReady()
  })
  cluster.on('error', (error: Error) => onLost(lastErrorOf(error)))
  const onClose = () => onLost(new Error('no server of the Redis cluster is connected'))
  cluster.on('close', onClose)
  /** When each server last sent data, by `performance.now()`. */
  const heardAtMs = new WeakMap<Redis, number>()
  cluster.on('+node', (node: Redis) => {
    breakSilent(node)
    catchFailedAsking(node)
    joinWrites(node)
    node.once('connect', () => node.stream.on('data', () => heardAtMs.set(node, performance.now())))
  })
  cluster.connect().catch(() => {})
  return {
    redis: cluster,
    isCluster: true,
    isAnswering: (key) => {
      const address = cluster.slots[calculateSlot(key)]?.[0]
      const server = cluster.nodes().find(({ options: { host, port } }) => `${host}:${port}` === address)
      const heardMs = (server && heardAtMs.get(server)) ?? Number.NEGATIVE_INFINITY
      return performance.now() - heardMs < REDIS_ANSWER_MS
    },
    drop: (reason) => {
      // It may be late by redirections; breakSilent breaks the connection of a silent server.
      if (reason instanceof OverdueAnswer) return
      for (const node of cluster.nodes()) if (node.status === 'ready') node.stream.destroy()
    },
    close: () => {
      cluster.off('close', onClose)
      return closeClient(cluster)
    },
  }
}

/** The client says that all servers failed, and keeps the reason of the last one beside it. */
function lastErrorOf(error: Error & { readonly lastNodeError?: unknown }): Error {
  return error.lastNodeError instanceof Error ? error.lastNodeError : error
}

/** The first charges need not wait for connections, which the client opens only when they are needed. */
function openConnections(cluster: Cluster): void {
  // One that cannot be opened is left to the next charge.
  for (const node of cluster.nodes('master')) if (node.status === 'wait') node.connect().catch(() => {})
}

/** On a redirection of one command the client sends ASKING before it, and nobody waits for that answer. */
function catchFailedAsking(node: Redis): void {
  const asking = node.asking.bind(node)
  node.asking = () => {
    const answer = asking()
    answer.catch(() => {}) // the redirected command fails on the same connection
    return answer
  }
}

/**
 * The client writes each command to the socket by itself. Many small commands for one server, one per slot, go out in one write:
 * that costs both processes a fraction.
 */
function joinWrites(node: Redis): void {
  const send = node.sendCommand.bind(node)
  let isHeld = false
  node.sendCommand = (command, stream) => {
    if (!isHeld && node.status === 'ready') {
      isHeld = true
      const socket = node.stream
      socket.cork()
      setImmediate(() => {
        isHeld = false
        socket.uncork()
      })
    }
    return send(command, stream)
  }
}
