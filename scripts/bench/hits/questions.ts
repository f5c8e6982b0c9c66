import { ASSETS } from './market.js'

/** Half of the questions are about the month, the others about months that have ended. */
const RANGES = [
  'from=2026-11-01',
  'from=2026-11-01',
  'from=2026-09-01&to=2026-10-01',
  'from=2026-10-01&to=2026-11-01',
] as const

/** The same questions in each run. */
export function createQuestions(seed: number): () => string {
  const random = createRandom(seed)
  const weights = cumulated(Array.from({ length: ASSETS }, (_, at) => 1 / (at + 1)))
  return () => {
    const rank = findRank(weights, random())
    const range = RANGES[Math.floor(random() * RANGES.length)] ?? RANGES[0]
    return `/v1/assets/asset-${rank + 1}/ohlcv?timeframe=1d&${range}`
  }
}

function cumulated(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  return weights.map((weight) => {
    sum += weight / total
    return sum
  })
}

/** The first rank whose cumulated weight is above the number. */
function findRank(weights: readonly number[], wanted: number): number {
  let [low, high] = [0, weights.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((weights[middle] ?? 1) > wanted) high = middle
    else low = middle + 1
  }
  return low
}

/** A linear congruential generator: numbers in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
