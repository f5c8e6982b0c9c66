import { setImmediate as nextTurn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { createLogger } from '../../../src/platform/logger.js'
import { RedisCounters } from '../../../src/platform/quota/redis/redis-counters.js'
import { answerWithin, OverdueAnswer, REDIS_ANSWER_MS } from '../../../src/platform/redis/redis-answer.js'
import { charge, newKey } from '../../support/counters/counter-flavours.js'
import { availableRedis } from '../../support/database/database.js'
import { BLACK_HOLE, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'

const redisUrl = availableRedis() ?? ''

/** This process does nothing else for that time. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** The process is blocked for that time in each of so many turns of the event loop. */
async function blockTurns(ms: number, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    block(ms)
    await nextTurn()
  }
}

describe.skipIf(redisUrl === '')('a process that is blocked', () => {
  it('does not take the server for lost that answered meanwhile', async () => {
    const lines: string[] = []
    const log = createLogger('warn', { write: (line: string) => void lines.push(line) })
    const counters = new RedisCounters(redisUrl, systemClock, log, async () => new Map())
    const key = newKey()
    await counters.consume([charge(key, 10)], new Date())
    const second = counters.consume([charge(key, 10)], new Date())
    await nextTurn() // it is sent
    block(1_500)
    expect(await second).toEqual({ accepted: true, used: [2] })
    const redis = new Redis(redisUrl)
    expect([await redis.get(`mdg:counter:${key}`), counters.isRedisUp(), lines]).toEqual(['2', true, []])
    redis.disconnect()
    await counters.close()
  })

  it('waits for an answer over a connection that takes several turns of its event loop to open', async () => {
    const redis = new Redis(redisUrl, { lazyConnect: true })
    const answer = answerWithin(REDIS_ANSWER_MS, redis.ping())
    await blockTurns(2 * REDIS_ANSWER_MS, 3)
    expect(await answer).toBe('PONG')
    redis.disconnect()
  })

  it('gives up a silent server all the same', async () => {
    const proxy = await startCuttableProxy(redisUrl)
    const redis = new Redis(proxy.url)
    await redis.ping()
    proxy.disturb(BLACK_HOLE)
    const answer = answerWithin(REDIS_ANSWER_MS, redis.ping()).catch((error: unknown) => error)
    await blockTurns(REDIS_ANSWER_MS, 3)
    expect(await answer).toBeInstanceOf(OverdueAnswer)
    redis.disconnect()
    await proxy.close()
  })
})
