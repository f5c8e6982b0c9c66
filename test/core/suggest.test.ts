import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suggest } from '../../src/core/suggest.js'

const FOREX = ['base', 'quote', 'from', 'to', 'inverse']
const ASSETS = ['limit', 'offset', 'tier', 'mic', 'asset_class']

describe('suggest', () => {
  it.each([
    ['qoute', FOREX, 'quote'],
    ['quotes', FOREX, 'quote'],
    ['qote', FOREX, 'quote'],
    ['Quote', FOREX, 'quote'],
    ['bsae', FOREX, 'base'],
    ['form', FOREX, 'from'],
    ['inv', FOREX, 'inverse'],
    ['limt', ASSETS, 'limit'],
    ['LIMIT', ASSETS, 'limit'],
    ['assetclass', ASSETS, 'asset_class'],
    ['assetClas', ASSETS, 'asset_class'],
    ['asset', ASSETS, 'asset_class'],
    ['tiers', ASSETS, 'tier'],
    ['off', ASSETS, 'offset'],
    ['limit_to', ASSETS, 'limit'],
  ])('suggests by %s for %j → %s', (word, known, meant) => {
    expect(suggest(word, known)).toBe(meant)
  })

  it.each(['', 'x', 'currency', 'page', 'sort_by', 'f', 'l'.repeat(65)])(
    'has nothing to say to %j',
    (word) => {
      expect(suggest(word, [...FOREX, ...ASSETS])).toBeNull()
    },
  )

  it('suggests nothing for a known word or without known words', () => {
    expect(suggest('base', FOREX)).toBeNull()
    expect(suggest('base', [])).toBeNull()
  })

  it('allows one typing error per three letters', () => {
    expect(suggest('abcde', ['abxye'])).toBeNull()
    expect(suggest('abcdef', ['abxyef'])).toBe('abxyef')
  })

  it('prefers the same letters, then fewer typing errors, then prefixes', () => {
    expect(suggest('TO', ['top', 'so', 'to'])).toBe('to')
    expect(suggest('datee', ['dates', 'date', 'datee_from'])).toBe('date')
    expect(suggest('dat', ['data_set', 'day'])).toBe('day')
  })

  it('does not depend on the order of the known words, and returns one of them', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(words, fc.uniqueArray(words, { maxLength: 8 }), (word, known) => {
        const answer = suggest(word, known)
        expect(suggest(word, [...known].reverse())).toBe(answer)
        if (answer !== null) expect(known).toContain(answer)
      }),
    )
  })
})
