import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type LeaderTerm, type Outbox, startOutbox } from '../../../src/platform/outbox/outbox.js'

describe('the outbox', () => {
  let outbox: Outbox | null = null
  let current: number | null = 1
  let onChange = () => {}
  const lease = {
    term: () => current,
    isLost: (term: number) => current !== null && current !== term,
    onChange: (listener: () => void) => {
      onChange = listener
    },
  }
  const hold = (term: number | null) => {
    current = term
    onChange()
  }
  const fail = (error: unknown) => {
    throw error
  }
  afterEach(async () => {
    await outbox?.stop()
    current = 1
  })

  it('polls only while this process has the lease', async () => {
    const terms: number[] = []
    current = null
    const poll = async ({ number }: LeaderTerm) => {
      terms.push(number)
      return 60_000
    }
    outbox = startOutbox({ lease, poll, onError: fail })
    await delay(20)
    expect(terms).toEqual([])
    hold(7)
    await vi.waitFor(() => expect(terms).toEqual([7]))
  })

  it('polls again as soon as work has ended, even during the poll', async () => {
    let polls = 0
    const poll = async ({ follow }: LeaderTerm) => {
      polls += 1
      if (polls === 1) follow(Promise.resolve())
      await delay(5)
      return 60_000
    }
    outbox = startOutbox({ lease, poll, onError: fail })
    await vi.waitFor(() => expect(polls).toBe(2))
  })

  it('polls once for work that ends together', async () => {
    let polls = 0
    const poll = async ({ follow }: LeaderTerm) => {
      polls += 1
      if (polls === 1) for (const ms of [5, 10, 15]) follow(delay(ms))
      return 60_000
    }
    outbox = startOutbox({ lease, poll, onError: fail, gatherMs: 200 })
    await delay(100)
    expect(polls).toBe(1)
    await vi.waitFor(() => expect(polls).toBe(2))
  })

  it('reports a failed poll and polls again', async () => {
    const errors: unknown[] = []
    let polls = 0
    const poll = async () => {
      polls += 1
      if (polls === 1) throw new Error('out of reach')
      return 60_000
    }
    outbox = startOutbox({ lease, poll, onError: (error) => void errors.push(error) })
    await vi.waitFor(() => expect(errors).toEqual([new Error('out of reach')]))
    hold(1)
    await vi.waitFor(() => expect(polls).toBe(2))
  })

  it('releases the lease after the work in flight has ended', async () => {
    const events: string[] = []
    const poll = async ({ follow }: LeaderTerm) => {
      const work = async () => {
        await delay(30)
        events.push('ended')
      }
      follow(work())
      return 60_000
    }
    const release = async () => void events.push('released')
    const released = startOutbox({ lease: { ...lease, release }, poll, onError: fail })
    await delay(5)
    await released.stop()
    expect(events).toEqual(['ended', 'released'])
  })

  it('waits for work in flight when it is stopped, and polls no more', async () => {
    let polls = 0
    let hasEnded = false
    const poll = async ({ follow }: LeaderTerm) => {
      polls += 1
      const work = async () => {
        await delay(50)
        hasEnded = true
      }
      follow(work())
      return 60_000
    }
    outbox = startOutbox({ lease, poll, onError: fail })
    await vi.waitFor(() => expect(polls).toBe(1))
    await outbox.stop()
    expect(hasEnded).toBe(true)
    expect(polls).toBe(1)
  })

  it('stops in bounded time even if work does not end', async () => {
    const begin = async ({ follow }: LeaderTerm) => {
      follow(new Promise(() => {}))
      return 60_000
    }
    const stuck = startOutbox({ lease, poll: begin, onError: fail, stopMs: 30 })
    await delay(5)
    await expect(Promise.race([stuck.stop(), delay(5_000, 'late')])).resolves.toBeUndefined()
  })

  it('lets results be written while the lease could not be renewed, but not once another process has it', async () => {
    let term: LeaderTerm | null = null
    const poll = async (begun: LeaderTerm) => {
      term ??= begun
      return 60_000
    }
    outbox = startOutbox({ lease, poll, onError: fail })
    const rights = () => [term?.isCurrent(), term?.mayWrite(), term?.signal.aborted]
    await vi.waitFor(() => expect(rights()).toEqual([true, true, false]))
    hold(null)
    expect(rights()).toEqual([false, true, false])
    hold(2)
    expect(rights()).toEqual([false, false, true])
  })

  it('aborts its work when it is stopped', async () => {
    let signal: AbortSignal | null = null
    const poll = async (begun: LeaderTerm) => {
      signal = begun.signal
      return 60_000
    }
    const stopped = startOutbox({ lease, poll, onError: fail })
    await vi.waitFor(() => expect(signal?.aborted).toBe(false))
    await stopped.stop()
    expect(signal).toMatchObject({ aborted: true, reason: new Error('the process was stopped') })
  })
})
