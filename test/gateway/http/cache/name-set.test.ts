import { describe, expect, it } from 'vitest'
import { NameSet } from '../../../../src/gateway/http/cache/name-set.js'

const NAMES = Array.from({ length: 64 }, (_, at) => `name_${at}`)

describe('a set of names', () => {
  const set = new NameSet(NAMES)

  it('is read as it was written, in the order of the known names', () => {
    for (const chosen of [[], ['name_0'], ['name_31', 'name_32'], ['name_63'], NAMES])
      expect(set.read(set.write(chosen))).toEqual(chosen)
    expect(set.read(set.write(['name_40', 'name_2']))).toEqual(['name_2', 'name_40'])
  })

  it('takes one digit for five names', () => {
    expect(set.write(['name_4'])).toBe('g')
    expect(set.write(['name_5'])).toBe('01')
    expect(set.write(NAMES)).toHaveLength(13)
  })

  it('refuses an unknown name', () => {
    expect(() => set.write(['other'])).toThrow(RangeError)
  })

  it.each([['0000000000000g'], ['z'], [''], ['000000000000v'], ['0'.repeat(10_000)]])(
    'reads nothing from %j',
    (text) => {
      expect(set.read(text)).toEqual([])
    },
  )
})
