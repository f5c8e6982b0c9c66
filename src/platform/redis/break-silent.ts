import type { Redis } from 'ioredis'
import { setReadingTimeout } from './reading-timeout.js'

/**
 * The longest time for opening a connection. An open one without any data for this long, although answers are due, is
 * broken.
 */
const SILENCE_MS = 1_000

/** How often in that time a connection is checked. */
const CHECKS = 10

/** Breaks silent connections. The client's own time-outs would also count the time in which this process was blocked. */
export function breakSilent(redis: Redis): void {
  let cancel = () => {}
  redis.on('connecting', () => {
    cancel = setReadingTimeout(SILENCE_MS, () =>
      redis.stream.destroy(new Error(`not connected in ${SILENCE_MS} ms`)),
    )
  })
  redis.on('connect', () => {
    cancel()
    watch(redis)
  })
  redis.on('close', () => cancel())
  // Without `close` if the client was closed before it had a socket.
  redis.on('end', () => cancel())
}

function watch(redis: Redis): void {
  const { stream } = redis
  let silentChecks = 0
  const check = () => {
    silentChecks = redis.commandQueue.length === 0 ? 0 : silentChecks + 1
    if (silentChecks > CHECKS) stream.destroy(new Error(`no data in ${SILENCE_MS} ms`))
  }
  // What has arrived is read before each check.
  const timer = setInterval(() => setImmediate(check), SILENCE_MS / CHECKS)
  stream.on('data', () => {
    silentChecks = 0
  })
  stream.once('close', () => clearInterval(timer))
}
