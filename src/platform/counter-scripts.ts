import type { Redis } from 'ioredis'
import type { Taken } from './counters.js'
import type { Group } from './take-plan.js'

/**
 * Each group is judged and taken by itself, all of it in one step. Arguments: per group the number of its keys, then per
 * key units, quota (-1: only looked at), what this node has seen (a floor, should Redis have lost its data) and the
 * milliseconds the key is kept. Returns per group accepted (1 or 0), then used per key.
 */
const TAKE = `
local stored = redis.call('mget', unpack(KEYS))
local answer, key, at = {}, 1, 1
while key <= #KEYS do
  local size, used, fits = tonumber(ARGV[at]), {}, 1
  for i = 0, size - 1 do
    local a = at + 1 + i * 4
    local quota = tonumber(ARGV[a + 1])
    used[i] = math.max(tonumber(stored[key + i] or '0'), tonumber(ARGV[a + 2]))
    if quota >= 0 and used[i] + tonumber(ARGV[a]) > quota then fits = 0 end
  end
  table.insert(answer, fits)
  for i = 0, size - 1 do
    local a = at + 1 + i * 4
    local units = tonumber(ARGV[a])
    if fits == 1 and units > 0 then
      used[i] = used[i] + units
      redis.call('set', KEYS[key + i], string.format('%d', used[i]), 'PX', ARGV[a + 3])
    end
    table.insert(answer, used[i])
  end
  key, at = key + size, at + 1 + size * 4
end
return answer`

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

/** A connection that knows the taking script, so that only the script's hash is sent with each take. */
export type TakingRedis = Redis & {
  takeFromCounters(keyCount: number, ...keysAndArguments: readonly (string | number)[]): Promise<number[]>
}

export function defineTake(redis: Redis): TakingRedis {
  redis.defineCommand('takeFromCounters', { lua: TAKE })
  return redis as TakingRedis // defineCommand has just added it
}

/** One round trip for all groups; no key may be in two of them. */
export async function takeGroups(
  redis: TakingRedis,
  groups: readonly Group[],
  now: Date,
): Promise<readonly Taken[]> {
  const keys = groups.flat().map(({ key }) => key)
  const parameters = groups.flatMap((group) => [
    group.length,
    ...group.flatMap(({ units, quota, floor, windowEnd }) => [
      units,
      quota ?? -1,
      floor,
      keptMs(windowEnd, now),
    ]),
  ])
  const answer = await redis.takeFromCounters(keys.length, ...keys, ...parameters)
  let at = 0
  return groups.map((group) => {
    const [accepted, ...used] = answer.slice(at, at + 1 + group.length)
    at += 1 + group.length
    return { accepted: accepted === 1, used }
  })
}

export interface OwedUnits {
  readonly key: string
  readonly units: number
  /** What the counter stood at before them, as far as this node knows. */
  readonly floor: number
  readonly windowEnd: Date
}

/** Adds what is owed, whatever the quotas; returns used per key. The keys must differ from each other. */
export async function settleUnits(
  redis: Redis,
  owed: readonly OwedUnits[],
  now: Date,
): Promise<readonly number[]> {
  const keys = owed.map(({ key }) => key)
  const parameters = owed.flatMap(({ units, floor, windowEnd }) => [units, floor, keptMs(windowEnd, now)])
  // By its text: sent again for want of the script, it would come behind the takes it has to precede.
  return (await redis.eval(SETTLE, keys.length, ...keys, ...parameters)) as number[] // what the script returns
}

/** Milliseconds that a key is kept: relative, so that Redis' own clock plays no part. */
function keptMs(windowEnd: Date, now: Date): number {
  return Math.max(0, windowEnd.getTime() - now.getTime()) + KEEP_MS
}
