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

const BOTH = ['forex', 'instruments'] as const

describe('the versions that callers have seen', () => {
  it('allow an unknown caller any states', () => {
    expect(new SeenVersions(KEEP_MS).allows('a', BOTH, states(1))).toBe(true)
  })

  it('allow a caller no older version of a dataset that it was shown, and do not bind others', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', BOTH, states(5, 2))
    expect(
      [states(5, 2), states(6, 2), states(4, 2), states(6, 1)].map((one) => seen.allows('a', BOTH, one)),
    ).toEqual([true, true, false, false])
    expect(seen.allows('b', BOTH, states(4, 1))).toBe(true)
  })

  it('do not bind answers from datasets that the caller was not shown, and bind those from several by each', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', ['instruments'], states(5, 2))
    expect(seen.allows('a', ['forex'], states(4, 1))).toBe(true)
    expect(seen.allows('a', BOTH, states(4, 1))).toBe(false)
    expect(seen.allows('a', BOTH, states(4, 2))).toBe(true)
  })

  it('count a grain as its dataset, whose version an answer names', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', ['candles/bitcoin'], statesOf({ candles: 5 }, NOW))
    expect(
      [4, 5].map((candles) => seen.allows('a', ['candles/ethereum'], statesOf({ candles }, NOW))),
    ).toEqual([false, true])
  })

  it('keep the highest version of each dataset, in whatever order answers end', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', BOTH, states(5, 1))
    seen.note('a', BOTH, states(4, 2))
    expect([states(5, 1), states(4, 2), states(5, 2)].map((one) => seen.allows('a', BOTH, one))).toEqual([
      false,
      false,
      true,
    ])
  })

  it('are forgotten after the time for which they are kept, each by itself', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.note('a', ['forex'], states(5))
    vi.advanceTimersByTime(KEEP_MS)
    seen.note('a', ['instruments'], states(5, 2))
    expect(seen.allows('a', ['forex'], states(4))).toBe(false)
    vi.advanceTimersByTime(2)
    expect(seen.allows('a', ['forex'], states(4))).toBe(true)
    expect(seen.allows('a', BOTH, states(4))).toBe(false)
  })

  it('allow nothing of a dataset of which the caller may have seen anything, until that is forgotten', () => {
    const seen = new SeenVersions(KEEP_MS)
    seen.noteUnknown('a', ['forex'])
    seen.note('a', BOTH, states(5))
    expect(seen.allows('a', ['forex'], states(1_000))).toBe(false)
    expect(seen.allows('a', ['instruments'], states(1_000))).toBe(true)
    vi.advanceTimersByTime(KEEP_MS + 2)
    expect(seen.allows('a', ['forex'], states(1))).toBe(true)
  })

  it('bind every caller when memory is short, so that none goes back', () => {
    const seen = new SeenVersions(KEEP_MS, 20_000)
    seen.note('first', ['forex'], states(9))
    for (let caller = 0; caller < 200; caller++) seen.note(`caller ${caller}`, ['instruments'], states(9, 5))
    const may = (caller: string, forex: number) => seen.allows(caller, ['forex'], states(forex))
    expect([may('first', 8), may('unknown', 8), may('first', 9)]).toEqual([false, false, true])
    expect(seen.allows('unknown', ['instruments'], states(1, 4))).toBe(false)
    vi.advanceTimersByTime(KEEP_MS + 2)
    expect([may('first', 8), seen.allows('unknown', ['instruments'], states(1, 4))]).toEqual([true, true])
  })
})
