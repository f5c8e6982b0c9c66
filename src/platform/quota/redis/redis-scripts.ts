import { DAY_MS } from '../../../core/time.js'
import { ForeignAnswer } from '../../redis/redis-answer.js'
import type { RedisClient } from '../../redis/redis-connection.js'
import type { ConsumeGroup, GroupAnswer } from '../consume-plan.js'
import type { Count } from '../counters.js'

/** A counter is stored as text: the units charged, then a space and the units refunded if there are any. */
const COUNTS = `
local function read(text, charged_floor, refunded_floor)
  local charged, refunded = string.match(text or '0', '^(%d+) ?(%d*)$')
  return math.max(tonumber(charged), tonumber(charged_floor)), math.max(tonumber(refunded) or 0, tonumber(refunded_floor))
end
local function write(key, charged, refunded, kept_ms)
  local text = string.format('%.0f', charged)
  if refunded > 0 then text = text .. ' ' .. string.format('%.0f', refunded) end
  redis.call('set', key, text, 'PX', kept_ms)
end`

/**
 * The record of a node: the number up to which its round trips have ended, the number of the last one that changed
 * counters, and its verdicts, one digit per group. It is written together with the counters, so it shows whether a round
 * trip whose answer was lost was applied. A round trip that arrives after its end changes nothing.
 */
const RECORD = `
local function record(text)
  local over, last, verdicts = string.match(text or '0 0 ', '^(%d+) (%d+) (%d*)$')
  return tonumber(over), tonumber(last), verdicts
end
local function note(key, over, last, verdicts, kept_ms)
  redis.call('set', key, string.format('%.0f %.0f ', over, last) .. verdicts, 'PX', kept_ms)
end`

/**
 * Each group is decided and charged by itself, all or nothing; its refunds are applied first in any case. The first key is the node's record. Arguments: number of the round trip, milliseconds the record is kept, then
 * per group the number of its keys, then per key units, refund, quota (-1: nothing is taken), the figures this node has seen
 * (floors, should Redis have lost its data) and the milliseconds the key is kept. Returns the number, then per group accepted
 * (1 or 0), then charged and refunded per key; nothing for a round trip that has ended.
 */
const TAKE = `${COUNTS}${RECORD}
local stored = redis.call('mget', unpack(KEYS))
local number = tonumber(ARGV[1])
if number <= record(stored[1]) then return {} end
local answer, verdicts, is_changed, key, at = {number}, {}, false, 2, 3
while key <= #KEYS do
  local size, charged, refunded, fits = tonumber(ARGV[at]), {}, {}, 1
  for i = 0, size - 1 do
    local a = at + 1 + i * 6
    local quota = tonumber(ARGV[a + 2])
    charged[i], refunded[i] = read(stored[key + i], ARGV[a + 3], ARGV[a + 4])
    refunded[i] = math.min(charged[i], refunded[i] + tonumber(ARGV[a + 1]))
    if quota >= 0 and charged[i] - refunded[i] + tonumber(ARGV[a]) > quota then fits = 0 end
  end
  table.insert(answer, fits)
  table.insert(verdicts, fits)
  for i = 0, size - 1 do
    local a = at + 1 + i * 6
    local units = fits == 1 and tonumber(ARGV[a]) or 0
    charged[i] = charged[i] + units
    if units > 0 or tonumber(ARGV[a + 1]) > 0 then
      write(KEYS[key + i], charged[i], refunded[i], ARGV[a + 5])
      is_changed = true
    end
    table.insert(answer, charged[i])
    table.insert(answer, refunded[i])
  end
  key, at = key + size, at + 1 + size * 6
end
if is_changed then note(KEYS[1], number, number, table.concat(verdicts), ARGV[2]) end
return answer`

/**
 * Adds what was charged and refunded while Redis was away. The first key and two arguments are those of TAKE; then per key:
 * units, refund, floors of both, milliseconds. Returns the number, then charged and refunded per key.
 */
const SETTLE = `${COUNTS}${RECORD}
local number = tonumber(ARGV[1])
if number <= record(redis.call('get', KEYS[1])) then return {} end
local answer = {number}
for i = 2, #KEYS do
  local at = 2 + (i - 2) * 5
  local charged, refunded = read(redis.call('get', KEYS[i]), ARGV[at + 3], ARGV[at + 4])
  charged = charged + tonumber(ARGV[at + 1])
  refunded = math.min(charged, refunded + tonumber(ARGV[at + 2]))
  write(KEYS[i], charged, refunded, ARGV[at + 5])
  table.insert(answer, charged)
  table.insert(answer, refunded)
end
note(KEYS[1], number, number, '1', ARGV[2])
return answer`

/** Ends the round trip with this number. Returns it, and the number and the verdicts of the last one that was applied. */
const END_TRIP = `${RECORD}
local over, last, verdicts = record(redis.call('get', KEYS[1]))
note(KEYS[1], math.max(over, tonumber(ARGV[1])), last, verdicts, ARGV[2])
return {tonumber(ARGV[1]), last, verdicts}`

/** A longer outage may count the round trip at its beginning twice. */
const RECORD_KEPT_MS = DAY_MS

/** Keys outlive their window by this much, so that a node whose clock is late still finds its counter. */
const KEEP_MS = 60_000

/** A connection that knows the taking script, so that only the script's hash is sent with each take. */
export type ConsumingRedis = RedisClient & {
  takeFromCounters(keyCount: number, ...keysAndArguments: readonly (string | number)[]): Promise<number[]>
}

export function defineConsumeScript(redis: RedisClient): ConsumingRedis {
  redis.defineCommand('takeFromCounters', { lua: TAKE })
  return redis as ConsumingRedis // defineCommand has just added it
}

/** A round trip of a node whose script runs at most once. */
export interface RoundTrip {
  /** The key of the node's record. */
  readonly record: string
  /** From 1 on, higher than those before. */
  readonly number: number
}

/** One round trip for all groups; no key may be in two of them. */
export async function consumeGroups(
  redis: ConsumingRedis,
  { record, number }: RoundTrip,
  groups: readonly ConsumeGroup[],
  now: Date,
): Promise<readonly GroupAnswer[]> {
  const keys = groups.flat().map(({ key }) => key)
  const parameters = groups.flatMap((group) => [
    group.length,
    ...group.flatMap(({ units, refund, quota, floor, windowEnd }) => [
      units,
      refund,
      quota ?? -1,
      floor.charged,
      floor.refunded,
      keptMs(windowEnd, now),
    ]),
  ])
  const figures = [number, RECORD_KEPT_MS, ...parameters]
  const answer = figuresOf(number, await redis.takeFromCounters(1 + keys.length, record, ...keys, ...figures))
  let at = 0
  return groups.map((group) => {
    const [accepted, ...counts] = answer.slice(at, at + 1 + 2 * group.length)
    at += 1 + counts.length
    return { accepted: accepted === 1, counts: countsOf(counts) }
  })
}

/** Units that are charged to a counter and given back to it. */
export interface CounterChange {
  readonly key: string
  readonly units: number
  readonly refund: number
  readonly windowEnd: Date
}

export interface OwedUnits extends CounterChange {
  /** What the counter held before, as far as this node knows. */
  readonly floor: Count
}

/** Adds pending changes regardless of quotas; returns the figures of each counter. The keys must differ. */
export async function settleUnits(
  redis: RedisClient,
  { record, number }: RoundTrip,
  owed: readonly OwedUnits[],
  now: Date,
): Promise<readonly Count[]> {
  const keys = owed.map(({ key }) => key)
  const parameters = owed.flatMap(({ units, refund, floor, windowEnd }) => [
    units,
    refund,
    floor.charged,
    floor.refunded,
    keptMs(windowEnd, now),
  ])
  const figures = [number, RECORD_KEPT_MS, ...parameters]
  const counts = await redis.eval(SETTLE, 1 + keys.length, record, ...keys, ...figures)
  return countsOf(figuresOf(number, counts as number[])) // what the script returns
}

/**
 * Ends a round trip: if it reaches Redis later, it changes nothing. Returns per group whether it was accepted; null if it
 * was not applied.
 */
export async function endRoundTrip(
  redis: RedisClient,
  { record, number }: RoundTrip,
): Promise<readonly boolean[] | null> {
  const answer = await redis.eval(END_TRIP, 1, record, number, RECORD_KEPT_MS)
  const [ended, last, verdicts] = answer as [number, number, string] // what the script returns
  assertNumber(ended, number)
  return last === number ? [...verdicts].map((verdict) => verdict === '1') : null
}

/** What a script reported for the round trip with this number; nothing if it had ended. */
function figuresOf(number: number, answer: readonly number[]): readonly number[] {
  const [first, ...figures] = answer
  if (first !== undefined) assertNumber(first, number)
  return figures
}

function assertNumber(answered: number, number: number): void {
  if (answered !== number) throw new ForeignAnswer(`answer to round trip ${answered} instead of ${number}`)
}

/** Pairs of charged and refunded. */
function countsOf(figures: readonly number[]): readonly Count[] {
  return Array.from({ length: figures.length / 2 }, (_, index) => ({
    charged: figures[2 * index] ?? 0,
    refunded: figures[2 * index + 1] ?? 0,
  }))
}

/** How long a key is kept, ms. Relative, so the clock of Redis does not matter. */
function keptMs(windowEnd: Date, now: Date): number {
  return Math.max(0, windowEnd.getTime() - now.getTime()) + KEEP_MS
}
