import { Redis } from 'ioredis'

export interface RedisOptions {
  /** Put before every key. */
  readonly keyPrefix: string
  /** Called at each (re)connection, once commands can run. */
  readonly onReady: () => void
  /** Called when the connection breaks or an attempt fails; repeats with every further attempt that fails. */
  readonly onLost: (error: Error) => void
}

export interface RedisConnection {
  readonly redis: Redis
  /** Breaks the connection, which is then opened again: after a lost answer the next would be taken for it. */
  drop(): void
  /** Lets commands under way finish; never throws. */
  close(): Promise<void>
}

/** How long a command may take: far above Redis' usual 0.2 ms, far below what a caller would notice as an outage. */
export const REDIS_ANSWER_MS = 250

const CONNECT_MS = 1_000
/** A connection on which nothing comes for this long although answers are due is broken, while it is made as well. */
const SILENCE_MS = 1_000
const MAX_RECONNECT_MS = 1_000

/**
 * Connects at once and reconnects by itself, at most a second after Redis is back. Commands fail at once while there
 * is no connection; none is queued or sent twice, since a take sent twice would count twice.
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
  // A failed first attempt is reported by the error event and tried again like any later one.
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
        // The connection is given up either way.
      }
      redis.disconnect()
    },
  }
}

/** An answer that may still come, or is lost. */
export class OverdueAnswer extends Error {}

/**
 * The answer, or an `OverdueAnswer` once it is overdue. The clock may have run out while this process itself was held up, with
 * the answer already waiting in the socket; so what has arrived is read before the time-out counts.
 */
export function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => setImmediate(() => reject(new OverdueAnswer(`no answer in ${ms} ms`)))
    const timer = setTimeout(late, ms)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
