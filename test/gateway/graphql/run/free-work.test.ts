import { describe, expect, it } from 'vitest'
import { type FreeCaller, FreeWork } from '../../../../src/gateway/graphql/run/free-work.js'
import { ANONYMOUS } from '../../../../src/policy/principal.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const at = (clientAddress: string): FreeCaller => ({ principal: ANONYMOUS, clientAddress, now: NOW })

/** Work that takes 100 ms of a clock of its own. */
function start(limits: { msPerCaller?: number; msInAll?: number }) {
  const clock = { ms: 0 }
  const work = new FreeWork({ ...limits, nowMs: () => clock.ms })
  const take = (begin: () => () => void) => {
    const end = begin()
    clock.ms += 100
    end()
  }
  return { clock, work, take }
}

describe('free work', () => {
  it('is limited by the time that it takes for one address, however many requests that are', () => {
    const { work, take, clock } = start({ msPerCaller: 300 })
    for (let count = 0; count < 3; count++) take(() => work.begin(at('a')))
    expect(() => work.begin(at('a'))).toThrow(/used up the time of this minute/)
    expect(() => work.beginOwn(at('a'))).toThrow(/used up the time of this minute/)
    take(() => work.begin(at('b')))
    clock.ms += 60_000
    take(() => work.begin(at('a')))
  })

  it('of others cannot use up the time of work that usually belongs to a charged operation', () => {
    const { work, take } = start({ msPerCaller: 300, msInAll: 500 })
    for (let count = 0; count < 5; count++) take(() => work.begin(at(`caller ${count}`)))
    expect(() => work.begin(at('another'))).toThrow(/Too many operations that are free/)
    take(() => work.beginOwn(at('another')))
  })

  it('counts work that throws', () => {
    const { work, clock } = start({ msPerCaller: 100 })
    const fail = () => {
      clock.ms += 100
      throw new Error('failed')
    }
    expect(() => work.run(at('a'), fail)).toThrow('failed')
    expect(() => work.run(at('a'), fail)).toThrow(/used up the time of this minute/)
  })
})
