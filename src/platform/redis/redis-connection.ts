import type { Cluster, Redis } from 'ioredis'
import { answerWithin, REDIS_ANSWER_MS } from './redis-answer.js'

export interface RedisOptions {
  /** Prefix of every key. */
  readonly keyPrefix: string
  /** Called at each (re)connection, once commands can run. */
  readonly onReady: () => void
  /** Called when the connection breaks or an attempt fails; repeats with every further attempt that fails. */
  readonly onLost: (error: Error) => void
  /** Whether a cluster is ready that says that it is down, e.g. because a master is lost. */
  readonly isReadyIfDown?: boolean
}

/** A client of one server or of a cluster. The keys of one command are in one slot of a cluster. */
export type RedisClient = Redis | Cluster

export interface RedisConnection {
  readonly redis: RedisClient
  readonly isCluster: boolean
  /** Whether commands of several slots are under way, and the server of this key answered one in the time of an answer. */
  isAnswering(key: string): boolean
  /** Breaks the connection, which is then reopened: after a lost answer the next one would be mistaken for it. */
  drop(reason?: unknown): void
  /** Waits for running commands; never throws. */
  close(): Promise<void>
}

export const MAX_RECONNECT_MS = 1_000

/** Closes a client for good, after its running commands. */
export async function closeClient(client: RedisClient): Promise<void> {
  try {
    if (client.status === 'ready') await answerWithin(REDIS_ANSWER_MS, client.quit())
  } catch {
    // The connection is closed either way.
  }
  client.disconnect()
}
