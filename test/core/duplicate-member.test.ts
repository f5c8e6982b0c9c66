import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duplicateMember } from '../../src/core/duplicate-member.js'
import { cpuGrowth, MOST_GROWTH } from '../support/cpu-growth.js'

describe('duplicateMember', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"x":[{"label":"b"},{"label":"c","label":"d"}]}', 'label'],
    ['{"a\\"":1, "b" : {} ,"a\\"":2}', 'a"'],
    ['{"":1,"":2}', ''],
    ['{"b":{"a":1},"b":2}', 'b'],
    ['{"p\\\\":"x","p\\\\":"y"}', 'p\\'],
  ])('names the duplicate member of %s', (json, name) => {
    expect(duplicateMember(json)).toBe(name)
  })

  it.each([
    '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}',
    '{"a":"a","b":"a"}',
    '["a","a"]',
    '"a"',
    '{}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
  ])('finds no duplicate in %s', (json) => {
    expect(duplicateMember(json)).toBeNull()
  })

  it('finds no duplicate in any output of JSON.stringify', () => {
    fc.assert(fc.property(fc.json(), (json) => duplicateMember(json) === null))
  })

  it('reads a body in linear time', async () => {
    const bodyOf = (length: number) =>
      `{${Array.from({ length }, (_, place) => `"member${place}":"\\\\\\"${place}"`).join(',')}}`
    const read = (length: number) => expect(duplicateMember(bodyOf(length))).toBeNull()
    expect(await cpuGrowth(10_000, read)).toBeLessThan(MOST_GROWTH)
  })
})
