import { describe, expect, it } from 'vitest'
import { restartAfter } from '../../src/process/restart.js'

/** The waits that follow so many ends in a row, before none of which the worker had listened. */
function waitsInARow(count: number): readonly number[] {
  const waits: number[] = []
  let quickEnds = 0
  for (let end = 0; end < count; end += 1) {
    const restart = restartAfter(quickEnds, null)
    quickEnds = restart.quickEnds
    waits.push(restart.waitMs)
  }
  return waits
}

describe('restartAfter', () => {
  it('replaces a worker that had served for a while at once', () => {
    expect(restartAfter(0, 10_000)).toEqual({ quickEnds: 0, waitMs: 0 })
    expect(restartAfter(1_000, 3_600_000)).toEqual({ quickEnds: 0, waitMs: 0 })
  })

  it('doubles the wait after each quick end in a row, up to half a minute, and never gives up', () => {
    expect(waitsInARow(10)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    expect(restartAfter(10_000, null)).toEqual({ quickEnds: 10_001, waitMs: 30_000 })
  })

  it('treats a worker that listened for less than ten seconds as ended quickly', () => {
    expect(restartAfter(1, 9_999)).toEqual(restartAfter(1, null))
  })
})
