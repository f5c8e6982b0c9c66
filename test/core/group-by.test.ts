import { describe, expect, it } from 'vitest'
import { groupBy } from '../../src/core/group-by.js'

describe('groupBy', () => {
  it('groups items of one text, in the order in which they come', () => {
    const groups = groupBy([3, 1, 4, 5, 6], (number) => (number % 2 === 0 ? 'even' : 'odd'))
    expect([...groups]).toEqual([
      ['odd', [3, 1, 5]],
      ['even', [4, 6]],
    ])
  })

  it('has no group without items', () => {
    expect(groupBy([], String).size).toBe(0)
  })
})
