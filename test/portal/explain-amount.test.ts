import { describe, expect, it } from 'vitest'
import { explainAmount } from '../../src/portal/currencies/explain-amount.js'

describe('explainAmount', () => {
  it.each(['0', '250', '1250.50', '0.00000001', '9'.repeat(15)])('accepts %s', (text) => {
    expect(explainAmount(text)).toBeNull()
  })

  it.each([
    ['', 'Type an amount, such as 1250.50.'],
    ['-5', 'The amount must not be negative.'],
    ['1,250', 'Write the amount without commas and with a point: 1250.50.'],
    ['12a', 'The amount must be a number, such as 1250.50.'],
    ['1'.repeat(16), 'The amount must have 1 to 15 digits before the point and at most 8 after it.'],
    ['1.123456789', 'The amount must have 1 to 15 digits before the point and at most 8 after it.'],
    ['5.', 'The amount must have 1 to 15 digits before the point and at most 8 after it.'],
  ])('says what is wrong with %j', (text, problem) => {
    expect(explainAmount(text)).toBe(problem)
  })
})
