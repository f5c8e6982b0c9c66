import { describe, expect, it } from 'vitest'
import { BurstGuard } from '../../src/platform/burst-guard.js'

const at = (time: string) => new Date(`2026-11-20T${time}Z`)

describe('the burst guard', () => {
  it('allows 600 requests of a key in a clock minute and names the next minute', () => {
    const guard = new BurstGuard()
    const verdicts = Array.from({ length: 601 }, () => guard.allow('key', at('12:00:30')))
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(600)
    expect(verdicts[600]).toEqual({ allowed: false, retryAt: at('12:01:00') })
  })

  it('allows again from the instant it named', () => {
    const guard = new BurstGuard(1)
    guard.allow('key', at('12:00:00'))
    const { retryAt } = guard.allow('key', at('12:00:59.999'))
    expect(guard.allow('key', at('12:00:59.999')).allowed).toBe(false)
    expect(guard.allow('key', retryAt).allowed).toBe(true)
  })

  it('counts each key by itself', () => {
    const guard = new BurstGuard(1)
    expect(['a', 'b', 'a'].map((key) => guard.allow(key, at('12:00:00')).allowed)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('keeps a bounded number of keys, and of those the ones heard of last', () => {
    const guard = new BurstGuard(1, 2)
    for (const key of ['busy', 'idle']) guard.allow(key, at('12:00:00'))
    expect(guard.allow('busy', at('12:00:01')).allowed).toBe(false)
    guard.allow('new', at('12:00:02'))
    expect(guard.allow('busy', at('12:00:03')).allowed).toBe(false)
    expect(guard.allow('idle', at('12:00:03')).allowed).toBe(true)
  })
})
