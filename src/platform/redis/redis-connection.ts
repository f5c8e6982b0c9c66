import { Redis } from 'ioredis'

export interface RedisOptions {
  /** Prefix of every key. */
  readonly keyPrefix: string
  /** Called at each (re)connection, once commands can run. */
  readonly onReady: () => void
  /** Called when the connection breaks or an attempt fails; repeats with every further attempt that fails. */
  readonly onLost: (error: Error) => void
}

export interface RedisConnection {
  readonly redis: Redis
  /** Breaks the connection, which is then reopened: after a lost answer the next one would be mistaken for it. */
  drop(): void
  /** Waits for running commands; never throws. */
  close(): Promise<void>
}

/** How long a command may take: far above Redis' usual 0.2 ms, far below what a caller would notice as an outage. */
export const REDIS_ANSWER_MS = 250

const CONNECT_MS = 1_000
/** A connection without any data for this long, although answers are due, is broken; also while it is being opened. */
const SILENCE_MS = 1_000
const MAX_RECONNECT_MS = 1_000

/**
 * Connects at once and reconnects by itself, at most a second after Redis is back. Without a connection commands fail at
 * once; none is queued or sent twice, because a charge sent twice would count twice.
 */
export function connectRedis(url: string, options: RedisOptions): RedisConnection {
  const redis = new Redis(url, {
    lazyConnect: true,
    keyPrefix: options.keyPrefix,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_MS),
  })
  redis.on('ready', options.onReady)
  redis.on('error', options.onLost)
  redis.on('close', () => options.onLost(new Error('the connection to Redis closed')))
  // The error event reports a failed first attempt, which is retried like any later one.
  redis.connect().catch(() => {})
  return {
    redis,
    drop: () => {
      if (redis.status === 'ready') redis.stream.destroy()
    },
    close: async () => {
      redis.removeAllListeners('close')
      try {
        if (redis.status === 'ready') await answerWithin(REDIS_ANSWER_MS, redis.quit())
      } catch {
        // The connection is closed either way.
      }
      redis.disconnect()
    },
  }
}

/** The answer is late and may be lost. */
export class OverdueAnswer extends Error {}

/**
 * The answer, or an `OverdueAnswer` when it is late. The time may have passed while this process was blocked and the answer
 * was already in the socket, so arrived data is read before the time-out counts.
 */
export function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => setImmediate(() => reject(new OverdueAnswer(`no answer in ${ms} ms`)))
    const timer = setTimeout(late, ms)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
