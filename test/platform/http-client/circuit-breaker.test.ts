import { describe, expect, it } from 'vitest'
import { CircuitBreaker, type Permit } from '../../../src/platform/http-client/circuit-breaker.js'

function world() {
  const time = { ms: 0 }
  const breaker = new CircuitBreaker(() => time.ms)
  const enter = (): Permit => breaker.acquire('host') ?? expect.fail('the circuit is open')
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) enter().fail('status 500')
  }
  return { time, breaker, enter, fail }
}

describe('CircuitBreaker', () => {
  it('opens after 5 failures in a row, for that name only', () => {
    const { breaker, enter, fail } = world()
    fail(4)
    enter().succeed()
    fail(4)
    enter().fail('status 500')
    expect(breaker.acquire('host')).toBeNull()
    expect(breaker.remainingMs('host')).toBe(30_000)
    expect(breaker.acquire('other')).not.toBeNull()
  })

  it('lets one probe through after 30 s and closes when it succeeds', () => {
    const { time, breaker, enter, fail } = world()
    fail(5)
    time.ms = 29_999
    expect(breaker.acquire('host')).toBeNull()
    time.ms = 30_000
    const probe = enter()
    expect(breaker.acquire('host')).toBeNull()
    probe.succeed()
    fail(4)
    expect(breaker.acquire('host')).not.toBeNull()
  })

  it('stays open for another 30 s if the probe fails', () => {
    const { time, breaker, enter, fail } = world()
    fail(5)
    time.ms = 30_000
    enter().fail('status 500')
    time.ms = 59_999
    expect(breaker.acquire('host')).toBeNull()
    time.ms = 60_000
    enter().succeed()
    expect(breaker.acquire('host')).not.toBeNull()
  })

  it('lets the next probe through if one is abandoned', () => {
    const { time, breaker, enter, fail } = world()
    fail(5)
    time.ms = 30_000
    enter().abandon()
    expect(breaker.acquire('host')).not.toBeNull()
  })
})
