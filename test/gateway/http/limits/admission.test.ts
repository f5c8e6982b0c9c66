import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiError } from '../../../../src/core/errors.js'
import { Admission, type Release } from '../../../../src/gateway/http/limits/admission.js'

/** Not the present: all of a reply is of the instant of its request. */
const NOW = new Date('2026-01-30T15:00:00Z')
/** Longer than any request is let wait. */
const TIMEOUT_MS = 2_000
/** A run that is so slow that nobody can be expected to wait for another. */
const SLOW_MS = 100_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Enters, and notes in which order those who waited came in. */
function queueAt(admission: Admission) {
  const order: string[] = []
  const leaves: Release[] = []
  const refused: ApiError[] = []
  return {
    order,
    leaves,
    refused,
    enter: (account: string, name = account) => {
      const place = admission.acquire(account, NOW)
      const note = (leave: Release) => {
        order.push(name)
        leaves.push(leave)
      }
      if (place instanceof Promise) place.then(note, (error: ApiError) => void refused.push(error))
      else note(place)
    },
  }
}

/**
 * Does one call, which may not wait, and expects it to have set as many timers as requests wait because of it. Other parts of
 * this process set timers too, but none during the call.
 */
function withItsTimers(admission: Admission, call: () => void): void {
  const timers = vi.getTimerCount()
  const { waiting } = admission.counts
  call()
  expect(vi.getTimerCount() - timers).toBe(admission.counts.waiting - waiting)
}

/** Lets promises settle; no time passes. */
const settled = () => vi.advanceTimersByTimeAsync(0)

describe('admission', () => {
  it('admits requests at once while permits are free, and passes released permits to waiting ones', async () => {
    const admission = new Admission({ slots: 2, slotsPerAccount: 2 })
    const queue = queueAt(admission)
    for (const name of ['1', '2', '3', '4']) queue.enter('a', name)
    expect(queue.order).toEqual(['1', '2'])
    expect(admission.counts).toEqual({ running: 2, waiting: 2 })
    queue.leaves[0]?.()
    await settled()
    expect(queue.order).toEqual(['1', '2', '3'])
    expect(admission.counts).toEqual({ running: 2, waiting: 1 })
    for (const index of [1, 2, 3]) {
      queue.leaves[index]?.()
      await settled()
    }
    expect(admission.counts).toEqual({ running: 0, waiting: 0 })
  })

  it('takes a permit back once, however often it is released', async () => {
    const admission = new Admission({ slots: 1 })
    const queue = queueAt(admission)
    for (const name of ['1', '2', '3']) queue.enter('a', name)
    for (let time = 0; time < 3; time++) queue.leaves[0]?.()
    await settled()
    expect(queue.order).toEqual(['1', '2'])
    expect(admission.counts).toEqual({ running: 1, waiting: 1 })
  })

  it('reserves permits for other accounts than the busiest', async () => {
    const admission = new Admission({ slots: 4, slotsPerAccount: 3 })
    const queue = queueAt(admission)
    for (let index = 0; index < 5; index++) queue.enter('greedy')
    expect(admission.counts).toEqual({ running: 3, waiting: 2 })
    queue.enter('modest')
    await settled()
    expect(queue.order).toEqual(['greedy', 'greedy', 'greedy', 'modest'])
  })

  it('gives a reserved permit at once, even if the queue is full', () => {
    const admission = new Admission({ slots: 4, slotsPerAccount: 3, maxWaiting: 2 })
    const queue = queueAt(admission)
    for (let index = 0; index < 5; index++) queue.enter('greedy')
    expect(admission.counts).toEqual({ running: 3, waiting: 2 })
    expect(admission.acquire('modest', NOW)).not.toBeInstanceOf(Promise)
    expect(() => admission.acquire('greedy', NOW)).toThrow(expect.objectContaining({ status: 503 }))
  })

  it('serves accounts in turns, in the order of each', async () => {
    const admission = new Admission({ slots: 1 })
    const queue = queueAt(admission)
    queue.enter('first')
    for (const [account, name] of [
      ['a', 'a1'],
      ['a', 'a2'],
      ['a', 'a3'],
      ['b', 'b1'],
      ['c', 'c1'],
      ['b', 'b2'],
    ] as const)
      queue.enter(account, name)
    for (let index = 0; index < 7; index++) {
      queue.leaves[index]?.()
      await settled()
    }
    expect(queue.order).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('refuses at once with a full queue, with a 503 that says when to retry', () => {
    const admission = new Admission({ slots: 1, maxWaiting: 2 })
    const queue = queueAt(admission)
    for (let index = 0; index < 3; index++) queue.enter('a')
    expect(() => admission.acquire('a', NOW)).toThrow(
      expect.objectContaining({ status: 503, retryAfter: NOW.getTime() / 1000 + 1 }),
    )
    expect(admission.counts).toEqual({ running: 1, waiting: 2 })
  })

  it('reserves places in the queue for an account that does not wait yet', () => {
    const admission = new Admission({ slots: 1, maxWaiting: 4 })
    const queue = queueAt(admission)
    queue.enter('a')
    for (let index = 0; index < 2; index++) queue.enter('a')
    queue.enter('b')
    // Two accounts wait, so each has half of the queue.
    expect(() => admission.acquire('a', NOW)).toThrow(expect.objectContaining({ status: 503 }))
    queue.enter('b')
    expect(admission.counts).toEqual({ running: 1, waiting: 4 })
  })

  it('refuses at once a request that would wait too long, by the duration of earlier requests', async () => {
    const admission = new Admission({ slots: 1 })
    const queue = queueAt(admission)
    queue.enter('a')
    await vi.advanceTimersByTimeAsync(SLOW_MS)
    queue.leaves[0]?.()
    // A free place is given whatever was before, and the next that is left is not far.
    queue.enter('a')
    queue.enter('a')
    expect(admission.counts).toEqual({ running: 1, waiting: 1 })
    expect(() => admission.acquire('a', NOW)).toThrow(expect.objectContaining({ status: 503 }))
  })

  it('refuses a request that has waited too long, and never gives it a permit later', async () => {
    const admission = new Admission({ slots: 1 })
    const queue = queueAt(admission)
    for (const name of ['1', '2', '3']) queue.enter('a', name)
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 1)
    expect(queue.refused).toEqual([])
    queue.leaves[0]?.()
    await vi.advanceTimersByTimeAsync(1)
    expect(queue.order).toEqual(['1', '2'])
    expect(queue.refused).toMatchObject([{ status: 503 }])
    expect(admission.counts).toEqual({ running: 1, waiting: 0 })
    queue.leaves[1]?.()
    await settled()
    expect(queue.order).toEqual(['1', '2'])
    expect(admission.counts).toEqual({ running: 0, waiting: 0 })
  })

  it('never exceeds its bounds, and admits or refuses every waiting request', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ enter: fc.constantFrom('a', 'b', 'c', 'd') }) },
      { weight: 2, arbitrary: fc.record({ leave: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 1_500 }) }) },
    )
    const bounds = fc.record({
      slots: fc.integer({ min: 1, max: 5 }),
      slotsPerAccount: fc.integer({ min: 1, max: 5 }),
      maxWaiting: fc.integer({ min: 1, max: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(step, { maxLength: 60 }), async (given, steps) => {
        const admission = new Admission(given)
        const running = new Map<Release, string>()
        let asked = 0
        let entered = 0
        let refused = 0
        const note = (account: string) => (leave: Release) => {
          entered += 1
          running.set(leave, account)
        }
        const refuse = () => {
          refused += 1
        }
        const check = () => {
          const { running: places, waiting } = admission.counts
          expect(places).toBe(running.size)
          expect(places).toBeLessThanOrEqual(given.slots)
          expect(waiting).toBeLessThanOrEqual(given.maxWaiting)
          expect(asked).toBe(entered + refused + waiting)
          for (const account of ['a', 'b', 'c', 'd']) {
            const own = [...running.values()].filter((one) => one === account).length
            expect(own).toBeLessThanOrEqual(given.slotsPerAccount)
          }
        }
        const enter = (account: string) => {
          asked += 1
          try {
            const place = admission.acquire(account, NOW)
            if (place instanceof Promise) place.then(note(account), refuse)
            else note(account)(place)
          } catch {
            refuse()
          }
        }
        const leave = (index: number) => {
          const one = [...running.keys()][index % Math.max(1, running.size)]
          if (one === undefined) return
          running.delete(one)
          one()
        }
        for (const one of steps) {
          if ('enter' in one) withItsTimers(admission, () => enter(one.enter))
          else if ('leave' in one) withItsTimers(admission, () => leave(one.leave))
          else await vi.advanceTimersByTimeAsync(one.pass)
          await settled()
          check()
        }
        while (running.size > 0) {
          withItsTimers(admission, () => leave(0))
          await settled()
          check()
        }
        expect(admission.counts).toEqual({ running: 0, waiting: 0 })
        expect(entered + refused).toBe(asked)
      }),
      { numRuns: 200 },
    )
  })

  it('never leaves a permit unused while a request waits that may have it', async () => {
    const accounts = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), accounts, async (slots, asked) => {
        const admission = new Admission({ slots, slotsPerAccount: slots })
        const queue = queueAt(admission)
        for (const account of asked) queue.enter(account)
        for (let index = 0; index < asked.length; index++) {
          const { running, waiting } = admission.counts
          expect(running === slots || waiting === 0).toBe(true)
          queue.leaves[index]?.()
          await settled()
        }
        expect(queue.order).toHaveLength(asked.length)
      }),
    )
  })
})
