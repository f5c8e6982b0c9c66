import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '../../../src/schema.js' // registers the datasets
import { SeenVersions } from '../../../src/platform/replicas/seen-versions.js'
import { statesOf } from '../../support/database/dataset-states.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const KEEP_MS = 1_000

const states = (forex: number, instruments = 1) => statesOf({ forex, instruments }, NOW)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.advanceTimersByTime(1) // the cache takes the instant 0 for none
})
afterEach(() => void vi.useRealTimers())

describe('the versions that callers have seen', () => {
  it('allow an unknown caller any states', () => {
    expect(new SeenVersions(KEEP_MS).allows('a', states(1))).toBe(true)
  })

  it('allow a caller no older version of any dataset, and do not bind others', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', states(5, 2))
    expect(
      [states(5, 2), states(6, 2), states(4, 2), states(6, 1)].map((one) => seen.allows('a', one)),
    ).toEqual([true, true, false, false])
    expect(seen.allows('b', states(4, 1))).toBe(true)
  })

  it('keep the highest version of each dataset, in whatever order answers end', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', states(5, 1))
    seen.note('a', states(4, 2))
    expect([states(5, 1), states(4, 2), states(5, 2)].map((one) => seen.allows('a', one))).toEqual([
      false,
      false,
      true,
    ])
  })

  it('are forgotten after the time for which they are kept', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', states(5))
    vi.advanceTimersByTime(KEEP_MS)
    expect(seen.allows('a', states(4))).toBe(false)
    vi.advanceTimersByTime(2)
    expect(seen.allows('a', states(4))).toBe(true)
  })

  it('allow nothing to a caller that may have seen anything, until that is forgotten', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.noteUnknown('a')
    seen.note('a', states(5))
    expect(seen.allows('a', states(1_000))).toBe(false)
    vi.advanceTimersByTime(KEEP_MS + 2)
    expect(seen.allows('a', states(1))).toBe(true)
  })

  it('bind every unknown caller when memory is short, so that none goes back', () => {
    const seen = new SeenVersions(KEEP_MS, 20_000)
    seen.note('first', states(9))
    for (let caller = 0; caller < 200; caller++) seen.note(`caller ${caller}`, states(5))
    expect([seen.allows('first', states(8)), seen.allows('unknown', states(8))]).toEqual([false, false])
    expect(seen.allows('first', states(9))).toBe(true)
    vi.advanceTimersByTime(KEEP_MS + 2)
    expect(seen.allows('first', states(8))).toBe(true)
  })
})
