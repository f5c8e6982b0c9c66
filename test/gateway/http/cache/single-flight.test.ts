import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Leader, SingleFlight, type Waiter } from '../../../../src/gateway/http/cache/single-flight.js'

const WAIT_MS = 2_000

let flights: SingleFlight<string>
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  flights = new SingleFlight(WAIT_MS)
})
afterEach(() => {
  vi.useRealTimers()
})

function lead(key: string): Leader<string> {
  const flight = flights.join(key)
  if (!flight.isFirst) throw new Error(`${key} is being made already`)
  return flight
}

function follow(key: string): Waiter<string> {
  const flight = flights.join(key)
  if (flight.isFirst) throw new Error(`nobody makes ${key}`)
  return flight
}

/** Whether a promise is settled, once everything that can happen without time passing has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(() => {
    settled = true
  })
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  return settled
}

describe('a waiter for a response that is being computed', () => {
  it('waits for the response and gets it', async () => {
    const first = lead('key')
    const others = [follow('key').result, follow('key').result]
    expect(await isSettled(Promise.race(others))).toBe(false)
    first.settle('made')
    expect(await Promise.all(others)).toEqual(['made', 'made'])
  })

  it('does not wait for another request', () => {
    lead('key')
    expect(flights.join('other').isFirst).toBe(true)
  })

  it('computes the response if the leader ended without caching it', () => {
    lead('key').settle('made')
    expect(flights.join('key').isFirst).toBe(true)
  })

  it('learns at once that the response was refused, failed or may not be shared', async () => {
    const first = lead('key')
    const others = [follow('key').result, follow('key').result]
    first.settle(null)
    expect(await Promise.all(others)).toEqual([null, null])
  })

  it('goes on alone at the deadline, while later waiters still wait for the leader', async () => {
    const first = lead('key')
    const early = follow('key').result
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1)
    const late = follow('key').result
    expect(await isSettled(early)).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await early).toBeNull()
    expect(await isSettled(late)).toBe(false)
    first.settle('made')
    expect(await late).toBe('made')
  })

  it('leaves no timer behind', async () => {
    const first = lead('key')
    // Other parts of this process set timers too, but not while only promises that are settled are awaited.
    const before = vi.getTimerCount()
    const others = [follow('key').result, follow('key').result]
    expect(vi.getTimerCount()).toBe(before + 2)
    first.settle('made')
    await Promise.all(others)
    expect(vi.getTimerCount()).toBe(before)
  })
})

describe('the leader of a response', () => {
  it('settles once: later results change nothing', async () => {
    const first = lead('key')
    const other = follow('key').result
    first.settle('made')
    first.settle(null)
    expect(await other).toBe('made')
  })

  it('that has settled does not settle for the next leader', async () => {
    const first = lead('key')
    first.settle('made')
    const second = lead('key')
    const other = follow('key').result
    first.settle(null)
    expect(await isSettled(other)).toBe(false)
    expect(flights.join('key').isFirst).toBe(false)
    second.settle('made again')
    expect(await other).toBe('made again')
    expect(flights.join('key').isFirst).toBe(true)
  })
})
