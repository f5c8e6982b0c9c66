import { describe, expect, it } from 'vitest'
import { growthOf, minutesOf, type Sample } from '../../../scripts/bench/soak/memory.js'

/** Two samples a minute, each with its minute's figures. */
function samplesOf(rssBytes: readonly number[]): readonly Sample[] {
  return rssBytes.flatMap((rss, index) =>
    [10, 50].map((second) => ({
      seconds: index * 60 + second,
      rssBytes: rss + second,
      heapUsedBytes: 5,
      externalBytes: 3,
    })),
  )
}

describe('memory of a soak', () => {
  it('is the mean of the samples of each minute', () => {
    expect(minutesOf(samplesOf([100, 200]), 2)).toEqual([
      { minute: 1, rssBytes: 130, heapUsedBytes: 5, externalBytes: 3 },
      { minute: 2, rssBytes: 230, heapUsedBytes: 5, externalBytes: 3 },
    ])
  })

  it('grows from the third minute to the last, whatever came before', () => {
    const minutes = minutesOf(samplesOf([10, 900, 170, 500, 190]), 5)
    expect(growthOf(minutes)).toBe(220 / 200)
  })

  it('is not judged before a fourth minute', () => {
    expect(() => growthOf(minutesOf(samplesOf([10, 20, 30]), 3))).toThrow('at least 4 minutes')
  })
})
