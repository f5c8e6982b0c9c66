import type { Clock } from '../core/time.js'
import type { Charge, Counters, Taken } from './counters.js'
import type { Logger } from './logger.js'
import { answerWithin, connectRedis, REDIS_ANSWER_MS, type RedisConnection } from './redis-connection.js'
import { Tally } from './tally.js'

/**
 * All keys are judged and taken in one step. Per key: units, quota, what this node has seen (a floor, should Redis
 * have lost its data) and the milliseconds the key is kept. Returns accepted (1 or 0), then used per key.
 */
const TAKE = `
local used, fits = {}, 1
for i, key in ipairs(KEYS) do
  local at = (i - 1) * 4
  used[i] = math.max(tonumber(redis.call('get', key) or '0'), tonumber(ARGV[at + 3]))
  if used[i] + tonumber(ARGV[at + 1]) > tonumber(ARGV[at + 2]) then fits = 0 end
end
if fits == 1 then
  for i, key in ipairs(KEYS) do
    local at = (i - 1) * 4
    used[i] = used[i] + tonumber(ARGV[at + 1])
    redis.call('set', key, string.format('%d', used[i]), 'PX', ARGV[at + 4])
  end
end
table.insert(used, 1, fits)
return used`

/** Adds units that were taken while Redis was away. Per key: units, floor, milliseconds. Returns used per key. */
const SETTLE = `
local used = {}
for i, key in ipairs(KEYS) do
  local at = (i - 1) * 3
  used[i] = math.max(tonumber(redis.call('get', key) or '0'), tonumber(ARGV[at + 2])) + tonumber(ARGV[at + 1])
  redis.call('set', key, string.format('%d', used[i]), 'PX', ARGV[at + 3])
end
return used`

/** Keys outlive their window by this much, so that a node whose clock is late still finds its counter. */
const KEEP_MS = 60_000

/** Keys per settling script: a script blocks Redis while it runs. */
const SETTLE_BATCH = 500

/** Pause before a Redis that is connected but does not answer is tried again. */
const RETRY_MS = 500

interface Debt {
  readonly units: number
  readonly windowEnd: Date
}

/**
 * Counters in Redis, shared by every node: one script per take. Without Redis (no connection, or an answer overdue by
 * 250 ms) the node goes on counting by itself, from what it last saw of each counter. So each node admits at most what
 * was left when it last heard from Redis (the whole quota for a key it never saw in this window): with n nodes an
 * outage admits at most n times that rest. When Redis is back, within a second, the units taken meanwhile are
 * put on its counters before any other call; a take whose answer was lost under way may then count twice, never less.
 */
export class RedisCounters implements Counters {
  readonly #connection: RedisConnection
  readonly #clock: Clock
  readonly #log: Logger
  /** What this node knows of each counter: a floor while Redis answers, the counter itself while it does not. */
  readonly #seen = new Tally()
  readonly #debts = new Map<string, Debt>()
  readonly #started: Promise<void>
  #start: () => void = () => {}
  #state: 'starting' | 'up' | 'down' = 'starting'
  #isRecovering = false
  #retry: NodeJS.Timeout | undefined

  constructor(url: string, clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
    this.#started = new Promise((resolve) => {
      this.#start = resolve
    })
    this.#connection = connectRedis(url, {
      keyPrefix: 'mdg:counter:',
      onReady: () => void this.#recover(),
      onLost: (error) => this.#lose(error),
    })
  }

  async take(charges: readonly Charge[], now: Date): Promise<Taken> {
    this.#seen.prune(now)
    // A spent window stays spent: refusing it from memory keeps a caller's retries away from Redis.
    const isKnown = charges.every((charge) => this.#seen.knows(charge.key))
    if (isKnown && this.#seen.lacks(charges)) return { accepted: false, used: this.#seen.usedOf(charges) }
    if (this.#state === 'starting') await this.#started
    if (this.#state !== 'up') return this.#takeHere(charges)
    let reply: readonly number[]
    try {
      reply = await answerWithin(REDIS_ANSWER_MS, this.#run(charges, now))
    } catch (error) {
      this.#lose(error)
      return this.#takeHere(charges)
    }
    const [accepted, ...used] = reply
    return { accepted: accepted === 1, used: this.#raise(charges, used) }
  }

  async peek(charges: readonly Charge[], now: Date): Promise<readonly number[]> {
    this.#seen.prune(now)
    if (this.#state === 'starting') await this.#started
    if (this.#state !== 'up' || charges.length === 0) return this.#seen.usedOf(charges)
    try {
      const keys = charges.map((charge) => charge.key)
      const stored = await answerWithin(REDIS_ANSWER_MS, this.#connection.redis.mget(keys))
      return this.#raise(charges, stored.map(Number))
    } catch (error) {
      this.#lose(error)
      return this.#seen.usedOf(charges)
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry)
    if (this.#state === 'down' && this.#debts.size > 0) {
      this.#log.warn({ counters: this.#debts.size }, 'stopping without Redis: units taken meanwhile are lost')
    }
    await this.#connection.close()
  }

  #run(charges: readonly Charge[], now: Date): Promise<readonly number[]> {
    const parameters = charges.flatMap(({ key, units, quota, windowEnd }) => [
      units,
      quota,
      this.#seen.used(key),
      keptMs(windowEnd, now),
    ])
    const keys = charges.map((charge) => charge.key)
    const reply = this.#connection.redis.eval(TAKE, keys.length, ...keys, ...parameters)
    return reply as Promise<number[]> // what the script returns
  }

  #raise(charges: readonly Charge[], used: readonly number[]): readonly number[] {
    return charges.map(({ key, windowEnd }, index) => this.#seen.raise(key, used[index] ?? 0, windowEnd))
  }

  #takeHere(charges: readonly Charge[]): Taken {
    const taken = this.#seen.take(charges)
    if (taken.accepted) for (const { key, units, windowEnd } of charges) this.#owe(key, { units, windowEnd })
    return taken
  }

  #owe(key: string, debt: Debt): void {
    const units = (this.#debts.get(key)?.units ?? 0) + debt.units
    this.#debts.set(key, { units, windowEnd: debt.windowEnd })
  }

  #lose(error: unknown): void {
    if (this.#state !== 'down') {
      this.#log.error({ err: error }, 'Redis is lost: counting on this node alone until it is back')
    }
    this.#state = 'down'
    this.#start()
    // A broken connection tells when it is ready again; one that merely does not answer is asked again.
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#recover(), RETRY_MS)
    this.#retry.unref()
  }

  async #recover(): Promise<void> {
    if (this.#isRecovering || this.#state === 'up' || this.#connection.redis.status !== 'ready') return
    this.#isRecovering = true
    try {
      await answerWithin(REDIS_ANSWER_MS, this.#connection.redis.ping())
      await this.#settle()
      if (this.#state === 'down') this.#log.info({}, 'Redis is back: counting there again')
      this.#state = 'up'
      this.#start()
      // Taken while the first settling ran: sent in this tick, so ahead of every later take on the one connection.
      await this.#settle()
    } catch (error) {
      this.#lose(error)
    } finally {
      this.#isRecovering = false
    }
  }

  /** Puts the debts on Redis' counters; those that fail stay owed, and the first failure is thrown. */
  async #settle(): Promise<void> {
    const now = this.#clock.now()
    const owed = [...this.#debts].filter(([, debt]) => debt.windowEnd > now)
    this.#debts.clear()
    const batches: Promise<void>[] = []
    for (let from = 0; from < owed.length; from += SETTLE_BATCH) {
      batches.push(this.#settleBatch(owed.slice(from, from + SETTLE_BATCH), now))
    }
    const failure = (await Promise.allSettled(batches)).find((outcome) => outcome.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }

  async #settleBatch(owed: readonly (readonly [string, Debt])[], now: Date): Promise<void> {
    const keys = owed.map(([key]) => key)
    const parameters = owed.flatMap(([key, { units, windowEnd }]) => [
      units,
      Math.max(0, this.#seen.used(key) - units),
      keptMs(windowEnd, now),
    ])
    try {
      const reply = this.#connection.redis.eval(SETTLE, keys.length, ...keys, ...parameters)
      const used = (await answerWithin(REDIS_ANSWER_MS, reply)) as number[] // what the script returns
      owed.forEach(([key, { windowEnd }], index) => {
        this.#seen.raise(key, used[index] ?? 0, windowEnd)
      })
    } catch (error) {
      for (const [key, debt] of owed) this.#owe(key, debt)
      throw error
    }
  }
}

/** Milliseconds that a key is kept: relative, so that Redis' own clock plays no part. */
function keptMs(windowEnd: Date, now: Date): number {
  return Math.max(0, windowEnd.getTime() - now.getTime()) + KEEP_MS
}
