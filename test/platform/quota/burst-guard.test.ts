import { describe, expect, it } from 'vitest'
import { BurstGuard } from '../../../src/platform/quota/burst-guard.js'

const at = (time: string) => new Date(`2026-11-20T${time}Z`)

describe('the burst guard', () => {
  it('allows 600 requests of a key in a clock minute and names the next minute', () => {
    const guard = new BurstGuard()
    const verdicts = Array.from({ length: 601 }, () => guard.allow('key', at('12:00:30')))
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(600)
    expect(verdicts[600]).toEqual({ allowed: false, limit: 600, retryAt: at('12:01:00') })
  })

  it('allows again from the instant it named', () => {
    const guard = new BurstGuard(1)
    guard.allow('key', at('12:00:00'))
    const refused = guard.allow('key', at('12:00:59.999'))
    expect(refused).toEqual({ allowed: false, limit: 1, retryAt: at('12:01:00') })
    expect(guard.allow('key', at('12:01:00')).allowed).toBe(true)
  })

  it('counts each key separately', () => {
    const guard = new BurstGuard(1)
    expect(['a', 'b', 'a'].map((key) => guard.allow(key, at('12:00:00')).allowed)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('keeps a bounded number of keys, the most recent ones', () => {
    const guard = new BurstGuard(1, 2)
    for (const key of ['busy', 'idle']) guard.allow(key, at('12:00:00'))
    expect(guard.allow('busy', at('12:00:01')).allowed).toBe(false)
    guard.allow('new', at('12:00:02'))
    expect(guard.allow('busy', at('12:00:03')).allowed).toBe(false)
    expect(guard.allow('idle', at('12:00:03')).allowed).toBe(true)
  })

  it('says that a key is spent exactly if it would be refused, without counting', () => {
    const guard = new BurstGuard(2)
    const isRefused = () => guard.isSpent('key', at('12:00:30'))
    expect(isRefused()).toBe(false)
    guard.allow('key', at('12:00:10'))
    expect([isRefused(), isRefused(), isRefused()]).toEqual([false, false, false])
    expect(guard.allow('key', at('12:00:20')).allowed).toBe(true)
    expect(isRefused()).toBe(true)
    expect(guard.allow('key', at('12:00:40')).allowed).toBe(false)
    expect(guard.isSpent('key', at('12:01:00'))).toBe(false)
    expect(guard.isSpent('other', at('12:00:30'))).toBe(false)
  })

  it('subtracts one forgiven request each time, for that key only', () => {
    const guard = new BurstGuard(2)
    for (const key of ['key', 'key', 'other', 'other']) guard.allow(key, at('12:00:00'))
    guard.forgive('key', at('12:00:59'))
    expect(guard.isSpent('key', at('12:00:59'))).toBe(false)
    expect(guard.allow('key', at('12:00:59')).allowed).toBe(true)
    expect(guard.allow('key', at('12:00:59')).allowed).toBe(false)
    expect(guard.isSpent('other', at('12:00:59'))).toBe(true)
  })

  it('forgives nothing in advance, and nothing of a past minute', () => {
    const guard = new BurstGuard(1)
    guard.forgive('key', at('12:00:00'))
    guard.allow('key', at('12:00:10'))
    guard.forgive('key', at('12:00:20'))
    guard.forgive('key', at('12:00:30'))
    expect(guard.allow('key', at('12:00:40')).allowed).toBe(true)
    expect(guard.allow('key', at('12:00:50')).allowed).toBe(false)
    // What was counted in the last minute is no credit in the next.
    expect(guard.allow('key', at('12:01:00')).allowed).toBe(true)
    guard.forgive('key', at('12:00:59'))
    expect(guard.allow('key', at('12:01:10')).allowed).toBe(false)
  })

  it('never refuses a key whose every request is forgiven', () => {
    const guard = new BurstGuard(3)
    for (let request = 0; request < 100; request++) {
      expect(guard.allow('key', at('12:00:00')).allowed).toBe(true)
      guard.forgive('key', at('12:00:00'))
    }
  })
})
