import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ShardLeases } from '../../../src/platform/outbox/shard-leases.js'
import {
  type BegunWork,
  type Outbox,
  type ShardTurn,
  startShardedOutbox,
} from '../../../src/platform/outbox/sharded-outbox.js'
import { heldShards } from '../../support/outbox/held-shards.js'

const TERM = 7

describe('the sharded outbox', () => {
  let outbox: Outbox | null = null
  let isHeld = true
  let onChange = () => {}
  const held = heldShards(1, TERM)
  const leases: ShardLeases = {
    ...held,
    usable: () => (isHeld ? held.usable() : []),
    acquire: (shard) => (isHeld ? held.acquire(shard) : null),
    onChange: (listener) => {
      onChange = listener
    },
  }
  const hold = (hasShard: boolean) => {
    isHeld = hasShard
    onChange()
  }
  const fail = (error: unknown) => {
    throw error
  }
  const begin = (turn: ShardTurn): BegunWork => turn.begin(0) ?? expect.fail('the shard is not held')
  afterEach(async () => {
    await outbox?.stop()
    isHeld = true
  })

  it('polls only while this node has shards', async () => {
    const terms: number[] = []
    isHeld = false
    const poll = async (turn: ShardTurn) => {
      terms.push(begin(turn).term)
      return 60_000
    }
    outbox = startShardedOutbox({ leases, poll, onError: fail })
    await delay(20)
    expect(terms).toEqual([])
    hold(true)
    await vi.waitFor(() => expect(terms).toEqual([TERM]))
  })

  it('polls again as soon as work has ended, even during the poll', async () => {
    let polls = 0
    const poll = async (turn: ShardTurn) => {
      polls += 1
      if (polls === 1) turn.follow(begin(turn), Promise.resolve())
      await delay(5)
      return 60_000
    }
    outbox = startShardedOutbox({ leases, poll, onError: fail })
    await vi.waitFor(() => expect(polls).toBe(2))
  })

  it('polls once for work that ends together', async () => {
    let polls = 0
    const poll = async (turn: ShardTurn) => {
      polls += 1
      if (polls === 1) for (const ms of [5, 10, 15]) turn.follow(begin(turn), delay(ms))
      return 60_000
    }
    outbox = startShardedOutbox({ leases, poll, onError: fail, gatherMs: 200 })
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
    outbox = startShardedOutbox({ leases, poll, onError: (error) => void errors.push(error) })
    await vi.waitFor(() => expect(errors).toEqual([new Error('out of reach')]))
    hold(true)
    await vi.waitFor(() => expect(polls).toBe(2))
  })

  it('releases the leases after the work in flight has ended, and polls no more', async () => {
    const events: string[] = []
    const poll = async (turn: ShardTurn) => {
      events.push('polled')
      const work = async () => {
        await delay(50)
        events.push('ended')
      }
      turn.follow(begin(turn), work())
      return 60_000
    }
    const stop = async () => void events.push('released')
    const stopped = startShardedOutbox({ leases: { ...leases, stop }, poll, onError: fail })
    await vi.waitFor(() => expect(events).toEqual(['polled']))
    await stopped.stop()
    expect(events).toEqual(['polled', 'ended', 'released'])
  })

  it('stops in bounded time even if work does not end', async () => {
    const poll = async (turn: ShardTurn) => {
      turn.follow(begin(turn), new Promise(() => {}))
      return 60_000
    }
    const stuck = startShardedOutbox({ leases, poll, onError: fail, stopMs: 30 })
    await delay(5)
    await expect(Promise.race([stuck.stop(), delay(5_000, 'late')])).resolves.toBeUndefined()
  })

  it('aborts its work when it is stopped, and begins none', async () => {
    let turn: ShardTurn | null = null
    let work: BegunWork | null = null
    const poll = async (given: ShardTurn) => {
      turn = given
      work = begin(given)
      return 60_000
    }
    const rights = () => [work?.isValid(), work?.mayWrite(), work?.signal.aborted]
    const stopped = startShardedOutbox({ leases, poll, onError: fail })
    await vi.waitFor(() => expect(rights()).toEqual([true, true, false]))
    await stopped.stop()
    expect(rights()).toEqual([false, false, true])
    expect((turn as ShardTurn | null)?.begin(0)).toBeNull()
  })
})
