import { describe, expect, it } from 'vitest'
import { MAX_QUICK_DEATHS, type Restart, restartAfter } from '../../src/process/restart.js'

/** What follows each of so many deaths in a row, none of which had listened. */
function deathsInARow(count: number): readonly (Restart | null)[] {
  const restarts: (Restart | null)[] = []
  for (let death = 0; death < count; death += 1) {
    restarts.push(restartAfter(restarts.at(-1)?.quickDeaths ?? 0, null))
  }
  return restarts
}

describe('restartAfter', () => {
  it('replaces a worker that had served for a while at once, whatever was before', () => {
    expect(restartAfter(0, 10_000)).toEqual({ quickDeaths: 0, waitMs: 0 })
    expect(restartAfter(MAX_QUICK_DEATHS - 1, 3_600_000)).toEqual({ quickDeaths: 0, waitMs: 0 })
  })

  it('waits twice as long after each quick death in a row, and gives up at the fifth', () => {
    expect(deathsInARow(MAX_QUICK_DEATHS)).toEqual([
      { quickDeaths: 1, waitMs: 250 },
      { quickDeaths: 2, waitMs: 500 },
      { quickDeaths: 3, waitMs: 1_000 },
      { quickDeaths: 4, waitMs: 2_000 },
      null,
    ])
  })

  it('takes a worker that listened for less than ten seconds for one that died quickly', () => {
    expect(restartAfter(1, 9_999)).toEqual(restartAfter(1, null))
    expect(restartAfter(MAX_QUICK_DEATHS - 1, 9_999)).toBeNull()
  })
})
