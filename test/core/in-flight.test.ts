import { expect, it } from 'vitest'
import { InFlight } from '../../src/core/in-flight.js'

it('counts work by key and in all, until it ends', () => {
  const work = new InFlight()
  const endings = ['a', 'b', 'a'].map((key) => work.begin(key))
  expect([work.of('a'), work.of('b'), work.of('c'), work.total]).toEqual([2, 1, 0, 3])
  for (const end of endings) end()
  expect([work.of('a'), work.of('b'), work.total]).toEqual([0, 0, 0])
})

it('subtracts work once, even if its end is reported twice', () => {
  const work = new InFlight()
  const end = work.begin('a')
  work.begin('a')
  end()
  end()
  expect([work.of('a'), work.total]).toEqual([1, 1])
})

it('names the keys with at least that much work, and forgets those without any', () => {
  const work = new InFlight()
  const [end] = ['a', 'b', 'b', 'c', 'c', 'c'].map((key) => work.begin(key))
  expect(work.keysAt(2)).toEqual(['b', 'c'])
  end?.()
  expect(work.keysAt(1)).toEqual(['b', 'c'])
})
