import { describe, expect, it } from 'vitest'
import { MAX_GROUPS } from '../../../src/platform/quota/consume-queue.js'
import { charge } from '../../support/counters/counter-flavours.js'
import { type CounterStore, openStore, queueOn } from '../../support/counters/counter-store.js'

/** Keys of each group of each batch. */
function keysOf(store: CounterStore): readonly (readonly (readonly string[])[])[] {
  return store.batches.map((groups) => groups.map((group) => group.map(({ key }) => key)))
}

/** One turn of the event loop: what has come in is sent. */
function turn(): Promise<void> {
  return new Promise(setImmediate)
}

describe('the queue of consumptions', () => {
  it('sends together the calls of one turn of the event loop', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const first = queue.take([charge('a', 100)])
    // As requests of other connections are read: one after the other, each with its microtasks.
    await Promise.resolve().then(() => Promise.resolve())
    await Promise.all([first, queue.take([charge('a', 100)])])
    expect(store.batches.map((groups) => groups.map(([one]) => one?.units))).toEqual([[2]])
  })

  it('sends together the calls of one tick, one group per caller with the sum of its units', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const taken = await Promise.all([
      queue.take([charge('a', 100, 2)]),
      queue.take([charge('b', 100, 7)]),
      queue.take([charge('a', 100, 3)]),
      queue.peek([charge('a', 100)]),
      queue.take([charge('a', 100, 1)]),
    ])
    expect(taken).toEqual([
      { accepted: true, used: [2] },
      { accepted: true, used: [7] },
      { accepted: true, used: [5] },
      [5],
      { accepted: true, used: [6] },
    ])
    expect(store.batches.map((groups) => groups.map(([one]) => [one?.key, one?.units]))).toEqual([
      [
        ['a', 6],
        ['b', 7],
      ],
    ])
  })

  it('collects calls during a round trip, and sends all of them with the next', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const release = store.hold()
    const first = queue.take([charge('a', 100)])
    await turn()
    expect(store.batches).toHaveLength(1)
    const later = Array.from({ length: 40 }, (_, index) => queue.take([charge(`k${index % 4}`, 100)]))
    release()
    await Promise.all([first, ...later])
    expect(keysOf(store)).toEqual([[['a']], [['k0'], ['k1'], ['k2'], ['k3']]])
  })

  it('separates calls that share only some of their keys, in order of arrival', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const metered = () => queue.take([charge('hour', 10), charge('month', 10)])
    const discover = () => queue.take([charge('hour', 10), charge('month', 10), charge('day', 1)])
    const calls = [metered(), discover(), metered(), discover(), queue.take([charge('other', 1)])]
    expect(await Promise.all(calls)).toEqual([
      { accepted: true, used: [1, 1] },
      { accepted: true, used: [2, 2, 1] },
      { accepted: true, used: [3, 3] },
      { accepted: false, used: [3, 3, 1] },
      { accepted: true, used: [1] },
    ])
    // The last is refused from memory: the day's only unit is known to be gone.
    expect(keysOf(store)).toEqual([
      [['hour', 'month'], ['other']],
      [['hour', 'month', 'day']],
      [['hour', 'month']],
    ])
  })

  it('does not treat the same keys in another order as the same group', async () => {
    const store = openStore()
    const queue = queueOn(store)
    await Promise.all([
      queue.take([charge('a', 10, 1), charge('b', 10, 5)]),
      queue.take([charge('b', 10, 5), charge('a', 10, 1)]),
    ])
    expect(Object.fromEntries(store.counts)).toEqual({ a: 2, b: 10 })
  })

  it('bounds the groups of a round trip', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const calls = Array.from({ length: 2 * MAX_GROUPS + 1 }, (_, index) =>
      queue.take([charge(`${index}`, 1)]),
    )
    expect((await Promise.all(calls)).every(({ accepted }) => accepted)).toBe(true)
    expect(store.batches.map((groups) => groups.length)).toEqual([MAX_GROUPS, MAX_GROUPS, 1])
  })

  it('decides the calls of a refused group one by one, by the store’s counts', async () => {
    const store = openStore()
    store.counts.set('a', 6)
    const queue = queueOn(store)
    const taken = await Promise.all([3, 1, 5, 1].map((units) => queue.take([charge('a', 10, units)])))
    expect(taken).toEqual([
      { accepted: true, used: [9] },
      { accepted: true, used: [10] },
      { accepted: false, used: [10] },
      { accepted: false, used: [10] },
    ])
    expect(store.batches.map((groups) => groups.map(([one]) => one?.units))).toEqual([[10], [4]])
  })

  it('refuses nothing because of an earlier call that is refused in the end', async () => {
    // 6 of 10 are used. 3 and 2 do not fit together, so 3 goes out alone; by then another node has taken 2 more.
    let batches = 0
    const store = openStore((counts) => {
      batches += 1
      counts.set('a', batches === 1 ? 6 : Math.max(8, counts.get('a') ?? 0))
    })
    const queue = queueOn(store)
    const calls = [queue.take([charge('a', 10, 3)]), queue.take([charge('a', 10, 2)])]
    expect(await Promise.all(calls)).toEqual([
      { accepted: false, used: [8] },
      { accepted: true, used: [10] },
    ])
  })

  it('decides each call by its own quota', async () => {
    const store = openStore()
    store.counts.set('a', 4)
    const queue = queueOn(store)
    const quotas = [5, 5, 7, 100]
    expect(await Promise.all(quotas.map((quota) => queue.take([charge('a', quota)])))).toEqual([
      { accepted: true, used: [5] },
      { accepted: false, used: [5] },
      { accepted: true, used: [6] },
      { accepted: true, used: [7] },
    ])
    expect(store.counts.get('a')).toBe(7)
  })

  it('puts the calls of a refused group before later ones', async () => {
    const store = openStore()
    store.counts.set('a', 6)
    const queue = queueOn(store)
    const release = store.hold()
    const first = [queue.take([charge('a', 10, 3)]), queue.take([charge('a', 10, 3)])]
    await turn()
    const later = queue.take([charge('a', 10, 4)])
    release()
    expect(await Promise.all([...first, later])).toEqual([
      { accepted: true, used: [9] },
      { accepted: false, used: [9] },
      { accepted: false, used: [9] },
    ])
    expect(store.batches.map((groups) => groups.map(([one]) => one?.units))).toEqual([[6], [3]])
  })

  it('reads the count of a counter before it refuses a call over the whole quota', async () => {
    const store = openStore()
    store.counts.set('a', 2)
    expect(await queueOn(store).take([charge('a', 3, 4)])).toEqual({ accepted: false, used: [2] })
    expect(store.counts.get('a')).toBe(2)
  })

  it('fails all calls of a failed round trip, and none of the next', async () => {
    const store = openStore()
    let roundTrips = 0
    const queue = queueOn({
      send: (groups) => {
        roundTrips += 1
        return roundTrips === 1 ? Promise.reject(new Error('lost')) : store.send(groups)
      },
    })
    const outcomes = await Promise.allSettled([
      queue.take([charge('a', 9)]),
      queue.peek([charge('a', 9)]),
      queue.take([charge('b', 9)]),
      // Shares a key with the first, so it goes with the next round trip.
      queue.take([charge('a', 9), charge('c', 9)]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toEqual({ status: 'rejected', reason: new Error('lost') })
    expect(outcomes[3]).toEqual({ status: 'fulfilled', value: { accepted: true, used: [1, 1] } })
    expect(await queue.take([charge('a', 9)])).toEqual({ accepted: true, used: [2] })
  })

  it('refunds before it consumes, even if the group is refused', async () => {
    const store = openStore()
    store.counts.set('a', 9)
    const queue = queueOn(store)
    await queue.peek([charge('a', 10)])
    store.counts.set('a', 12)
    const calls = [queue.take([charge('a', 12, 3)]), queue.refund([charge('a', 12, 2)])]
    expect(await Promise.all(calls)).toEqual([{ accepted: false, used: [10] }, undefined])
    expect([store.counts.get('a'), store.refunds.get('a')]).toEqual([12, 2])
  })

  it('retries a call that it left out and that fits since another node refunded units', async () => {
    const store = openStore()
    store.counts.set('a', 9)
    const queue = queueOn(store)
    const release = store.hold()
    const first = queue.peek([charge('a', 10)])
    await turn()
    // They are planned when 9 are known to be used; the second makes the round trip ask.
    const later = [queue.take([charge('a', 10, 4)]), queue.take([charge('a', 10, 1)])]
    store.refunds.set('a', 0)
    release()
    await first
    store.refunds.set('a', 5)
    expect(await Promise.all(later)).toEqual([
      { accepted: true, used: [9] },
      { accepted: true, used: [5] },
    ])
  })

  it('gives up on a store that contradicts itself', async () => {
    const count = { charged: 0, refunded: 0 }
    const refusing = queueOn({ send: async () => [{ accepted: false, counts: [count] }] })
    await expect(refusing.take([charge('a', 9)])).rejects.toThrow('refused what fits by its own figures')
    const silent = queueOn({ send: async () => [] })
    await expect(silent.take([charge('a', 9)])).rejects.toThrow('without an answer')
  })

  it('accepts nothing based on a store that has lost its data', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const release = store.hold()
    const first = queue.take([charge('a', 10, 8)])
    await turn()
    // They come when 8 are not known to be used yet; the peek makes the next round trip ask, and the store knows of none.
    const later = [queue.peek([charge('a', 10)]), queue.take([charge('a', 10, 5)])]
    release()
    await first
    store.counts.clear()
    expect(await Promise.all(later)).toEqual([[8], { accepted: false, used: [8] }])
  })

  it('answers a call without charges without a round trip', async () => {
    const store = openStore()
    expect(await queueOn(store).take([])).toEqual({ accepted: true, used: [] })
    expect(await queueOn(store).peek([])).toEqual([])
    expect(store.batches).toEqual([])
  })

  it('is drained once every call has its answer', async () => {
    const store = openStore()
    const queue = queueOn(store)
    const release = store.hold()
    const answered: string[] = []
    void Promise.resolve(queue.take([charge('a', 9)])).then(() => answered.push('take'))
    const drained = queue.drained().then(() => answered.push('drained'))
    release()
    await drained
    expect(answered).toEqual(['take', 'drained'])
    await queue.drained()
  })
})
