import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokenSetRatio } from '../../../../src/domains/analysis/changes/text-similarity.js'

/** Words of few letters, so that texts share some. */
const word = fc.stringMatching(/^[ab]{1,3}$/)
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
const anyText = fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 40 }))

describe('tokenSetRatio', () => {
  it.each([
    // shared "market", then "market bear" against "market bull": 3 of 11 letters differ; "market" against either: 5.
    ['bull market', 'bear market', 1 - 3 / 11],
    ['Price rose.', 'price ROSE', 1],
    ['volume rose, price fell', 'price fell; volume rose', 1],
    ['rose', 'price rose sharply', 1],
    ['kitten', 'sitting', 1 - 3 / 7],
    ['ﬁne', 'fine', 1],
    ['1.5 %', '1,5', 1],
    ['', '', 1],
    ['…', '!', 1],
    ['', 'price', 0],
    ['ab', 'cd', 0],
  ])('of %j and %j is %d', (left, right, expected) => {
    expect(tokenSetRatio(left, right)).toBeCloseTo(expected, 12)
  })

  it('is between 0 and 1 and symmetric', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        const ratio = tokenSetRatio(left, right)
        expect(ratio).toBeGreaterThanOrEqual(0)
        expect(ratio).toBeLessThanOrEqual(1)
        expect(tokenSetRatio(right, left)).toBe(ratio)
      }),
    )
  })

  it('is 1 for the same words in any order, case and number', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['price', 'fell', 'volume', 'rose', '2026']),
        anyText,
        (words, other) => {
          const again = [...words].reverse().concat(words).join(', ').toUpperCase()
          expect(tokenSetRatio(words.join(' '), again)).toBe(1)
          expect(tokenSetRatio(other, other)).toBe(1)
        },
      ),
    )
  })

  it('is 1 if all words of one text are in the other', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), text, (words, more) => {
        expect(tokenSetRatio(words.join(' '), `${more} ${words.join(' ')}`)).toBe(1)
      }),
    )
  })
})
