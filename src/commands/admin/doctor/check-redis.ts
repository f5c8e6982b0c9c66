import { failureText } from '../../../core/failure-text.js'
import { answerWithin, connectRedis, REDIS_ANSWER_MS } from '../../../platform/redis/redis-connection.js'
import { type Finding, ok, problem, warning } from './finding.js'

const CONNECT_MS = 2_000

/** Checks whether Redis answers and how it evicts keys. */
export async function checkRedis(url: string | null, isEmbedded: boolean): Promise<Finding> {
  if (url === null) {
    const where = isEmbedded ? 'by this process' : 'in PostgreSQL, exactly, for all nodes'
    return ok('redis', `not configured: quotas are counted ${where}`)
  }
  const { host } = new URL(url)
  let onReady = () => {}
  let onLost = (_: Error) => {}
  const isReady = new Promise<void>((resolve, reject) => {
    onReady = resolve
    onLost = reject // the first loss has the reason; later calls of a settled promise have no effect
  })
  const connection = connectRedis(url, { keyPrefix: '', onReady: () => onReady(), onLost: (e) => onLost(e) })
  try {
    await answerWithin(CONNECT_MS, isReady)
    const startedAt = performance.now()
    await answerWithin(REDIS_ANSWER_MS, connection.redis.ping())
    const roundTripMs = performance.now() - startedAt
    const memory = await answerWithin(REDIS_ANSWER_MS, connection.redis.info('memory'))
    return judge(`${host} answers in ${roundTripMs.toFixed(1)} ms`, memory)
  } catch (error) {
    const why = failureText(error)
    const message = `${host} is unreachable (${why}): each node counts quotas by itself, so n nodes together accept up to n times the remaining units`
    return problem('redis', message, 'start Redis or correct REDIS_URL; nodes reconnect by themselves')
  } finally {
    await connection.close()
  }
}

/** `memory` is the result of INFO memory. */
function judge(message: string, memory: string): Finding {
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction'
  const limit = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0)
  if (limit === 0 || policy === 'noeviction') return ok('redis', message)
  return warning(
    'redis',
    `${message}, but evicts keys when its memory is full (${policy}), so counters may restart from 0`,
    'set maxmemory-policy noeviction',
  )
}
