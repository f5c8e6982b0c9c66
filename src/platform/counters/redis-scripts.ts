import type { Redis } from 'ioredis'
import type { Count } from './counters.js'
import type { GroupAnswer, TakeGroup } from './take-plan.js'

/** A counter is the text of its units charged, with those refunded behind a space where there are any. */
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
 * Each group is judged and taken by itself, all of it in one step; what it gives back is given back first, whatever the
 * judgement. Arguments: per group the number of its keys, then per key units, refund, quota (-1: nothing is taken), the
 * figures this node has seen (floors, should Redis have lost its data) and the milliseconds the key is kept. Returns per
 * group accepted (1 or 0), then charged and refunded per key.
 */
const TAKE = `${COUNTS}
local stored = redis.call('mget', unpack(KEYS))
local answer, key, at = {}, 1, 1
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
  for i = 0, size - 1 do
    local a = at + 1 + i * 6
    local units = fits == 1 and tonumber(ARGV[a]) or 0
    charged[i] = charged[i] + units
    if units > 0 or tonumber(ARGV[a + 1]) > 0 then write(KEYS[key + i], charged[i], refunded[i], ARGV[a + 5]) end
    table.insert(answer, charged[i])
    table.insert(answer, refunded[i])
  end
  key, at = key + size, at + 1 + size * 6
end
return answer`

/**
 * Adds what was charged and refunded while Redis was away. Per key: units, refund, floors of both, milliseconds. Returns
 * charged and refunded per key.
 */
const SETTLE = `${COUNTS}
local answer = {}
for i, key in ipairs(KEYS) do
  local at = (i - 1) * 5
  local charged, refunded = read(redis.call('get', key), ARGV[at + 3], ARGV[at + 4])
  charged = charged + tonumber(ARGV[at + 1])
  refunded = math.min(charged, refunded + tonumber(ARGV[at + 2]))
  write(key, charged, refunded, ARGV[at + 5])
  table.insert(answer, charged)
  table.insert(answer, refunded)
end
return answer`

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
  groups: readonly TakeGroup[],
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
  const answer = await redis.takeFromCounters(keys.length, ...keys, ...parameters)
  let at = 0
  return groups.map((group) => {
    const figures = answer.slice(at, at + 1 + 2 * group.length)
    at += figures.length
    return { accepted: figures[0] === 1, counts: countsOf(figures.slice(1)) }
  })
}

export interface OwedUnits {
  readonly key: string
  readonly units: number
  /** To be given back. */
  readonly refund: number
  /** What the counter held before both, as far as this node knows. */
  readonly floor: Count
  readonly windowEnd: Date
}

/** Adds what is owed, whatever the quotas; returns what each counter holds. The keys must differ from each other. */
export async function settleUnits(
  redis: Redis,
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
  // By its text: sent again for want of the script, it would come behind the takes it has to precede.
  const figures = await redis.eval(SETTLE, keys.length, ...keys, ...parameters)
  return countsOf(figures as number[]) // what the script returns
}

/** Pairs of charged and refunded. */
function countsOf(figures: readonly number[]): readonly Count[] {
  return Array.from({ length: figures.length / 2 }, (_, index) => ({
    charged: figures[2 * index] ?? 0,
    refunded: figures[2 * index + 1] ?? 0,
  }))
}

/** Milliseconds that a key is kept: relative, so that Redis' own clock plays no part. */
function keptMs(windowEnd: Date, now: Date): number {
  return Math.max(0, windowEnd.getTime() - now.getTime()) + KEEP_MS
}
