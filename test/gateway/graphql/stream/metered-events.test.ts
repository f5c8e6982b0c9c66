import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/core/errors.js'
import { AccountMutex } from '../../../../src/gateway/graphql/stream/account-mutex.js'
import {
  type MeteredEventsOptions,
  meteredEvents,
} from '../../../../src/gateway/graphql/stream/metered-events.js'
import type { LiveRequest } from '../../../../src/platform/request/request-context.js'
import type { Price } from '../../../../src/policy/price.js'

const BUSY = new ApiError('service_unavailable')

/** A request that stays open, which notes what it does; `places` says which attempts to enter are refused. */
class PlayedLive implements LiveRequest {
  readonly done: string[] = []
  inPlace = 0
  isGone = false
  readonly #refusals: number
  #attempts = 0

  constructor(refusals = 0) {
    this.#refusals = refusals
  }
  async isOver() {
    return this.isGone
  }
  end() {
    this.isGone = true
  }
  async refresh() {
    return { now: new Date(0), datasets: new Map() }
  }
  async acquirePermit() {
    this.#attempts += 1
    if (this.#attempts <= this.#refusals) throw BUSY
    this.inPlace += 1
    return () => {
      this.inPlace -= 1
    }
  }
  async charge() {
    this.done.push(`charged in ${this.inPlace} place`)
    return null
  }
  async refund({ units }: Price) {
    this.done.push(`${units} given back`)
  }
}

async function* numbers(count: number): AsyncGenerator<number, void> {
  for (let number = 1; number <= count; number++) yield number
}

function optionsOf(
  live: PlayedLive,
  more: Partial<MeteredEventsOptions<number, string>> = {},
): MeteredEventsOptions<number, string> {
  return {
    live,
    price: { fields: [{ field: 'numbers', units: 2 }], units: 2, discovers: 0 },
    lockAccount: () => new AccountMutex().acquire(''),
    acquireCostly: () => () => {},
    answer: async (number) => {
      live.done.push(`${number} in ${live.inPlace} place`)
      return { answer: String(number), refund: null }
    },
    refuse: ({ message }) => message,
    ...more,
  }
}

async function all(answers: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const answer of answers) found.push(answer)
  return found
}

describe('the events of a stream', () => {
  it('each take a permit, and are charged from the second on', async () => {
    const live = new PlayedLive()
    expect(await all(meteredEvents(numbers(3), optionsOf(live)))).toEqual(['1', '2', '3'])
    expect(live.done).toEqual([
      '1 in 1 place',
      'charged in 1 place',
      '2 in 1 place',
      'charged in 1 place',
      '3 in 1 place',
    ])
    expect(live.inPlace).toBe(0)
  })

  it('wait, uncharged, while no permit is free', async () => {
    const live = new PlayedLive(2)
    expect(await all(meteredEvents(numbers(2), optionsOf(live)))).toEqual(['1', '2'])
    expect(live.done).toEqual(['1 in 1 place', 'charged in 1 place', '2 in 1 place'])
  })

  it('wait, uncharged and without a permit, while too many costly answers are computed', async () => {
    const live = new PlayedLive()
    let [begun, refused] = [0, 0]
    const acquireCostly = () => {
      if (refused < 2) {
        refused += 1
        throw new ApiError('rate_limit_exceeded')
      }
      begun += 1
      return () => {
        begun -= 1
      }
    }
    const answer = async (number: number) => {
      live.done.push(`${number} begun ${begun}`)
      return { answer: String(number), refund: null }
    }
    expect(await all(meteredEvents(numbers(1), optionsOf(live, { acquireCostly, answer })))).toEqual(['1'])
    expect([live.done, live.inPlace, begun]).toEqual([['1 begun 1'], 0, 0])
  })

  it('end while they wait once the client has disconnected', async () => {
    const live = new PlayedLive(Number.POSITIVE_INFINITY)
    const ended = all(meteredEvents(numbers(1), optionsOf(live)))
    live.end()
    expect(await ended).toEqual([])
  })

  it('release the permit, are free and are not sent if an answer fails', async () => {
    const live = new PlayedLive()
    const answer = () => Promise.reject(new Error('broken'))
    await expect(all(meteredEvents(numbers(1), optionsOf(live, { answer })))).rejects.toThrow('broken')
    expect([live.inPlace, live.done]).toEqual([0, ['2 given back']])
  })

  it('are refunded for their failed parts, the first too, and go on', async () => {
    const live = new PlayedLive()
    const answer = async (number: number) => ({
      answer: number < 3 ? 'failed' : String(number),
      refund: number < 3 ? { fields: [{ field: 'numbers', units: 1 }], units: 1, discovers: 0 } : null,
    })
    expect(await all(meteredEvents(numbers(3), optionsOf(live, { answer })))).toEqual([
      'failed',
      'failed',
      '3',
    ])
    expect(live.done).toEqual(['1 given back', 'charged in 1 place', '1 given back', 'charged in 1 place'])
  })

  it('of several streams of an account are computed one at a time, in turns, yielding in between', async () => {
    const turns = new AccountMutex()
    const made: string[] = []
    let [underWay, most, loops] = [0, 0, 0]
    let isOver = false
    const loop = () => {
      loops += 1
      if (!isOver) setImmediate(loop)
    }
    setImmediate(loop)
    const stream = (name: string) => {
      const answer = async (number: number) => {
        underWay += 1
        most = Math.max(most, underWay)
        await Promise.resolve()
        underWay -= 1
        made.push(name)
        return { answer: String(number), refund: null }
      }
      const options = optionsOf(new PlayedLive(), { lockAccount: () => turns.acquire('account'), answer })
      return all(meteredEvents(numbers(50), options))
    }
    await Promise.all([stream('a'), stream('b'), stream('c')])
    isOver = true
    expect(most).toBe(1)
    expect(loops).toBeGreaterThanOrEqual(150)
    expect(new Set(made.slice(0, 3)).size).toBe(3)
  })

  it('that are already available yield the event loop each', async () => {
    const live = new PlayedLive()
    let turns = 0
    let isOver = false
    const turn = () => {
      turns += 1
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await all(meteredEvents(numbers(500), optionsOf(live)))
    isOver = true
    expect(turns).toBeGreaterThanOrEqual(500)
  })
})
