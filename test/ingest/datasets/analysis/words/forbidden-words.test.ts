import { describe, expect, it } from 'vitest'
import { findForbidden } from '../../../../../src/ingest/datasets/analysis/words/forbidden-words.js'

describe('the check for forbidden statements', () => {
  it.each([
    ['ruling', 'Bitcoin is halal for most scholars.'],
    ['ruling', 'The token is HARAM.'],
    ['ruling', 'It is permissible to own it.'],
    ['ruling', 'A Sharia-compliant asset.'],
    ['ruling', 'The ratios make it non-compliant.'],
    ['ruling', 'هذا حلال'],
    ['ruling', 'Cet actif est licite.'],
    ['recommendation', 'A good time to buy.'],
    ['recommendation', 'Sell before the month ends.'],
    ['recommendation', 'Our rating is Hold.'],
    ['recommendation', 'Investors should stay away.'],
    ['recommendation', 'You should invest now.'],
    ['recommendation', 'We recommend patience.'],
    ['recommendation', 'It is an attractive investment.'],
    ['recommendation', 'Il faut acheter.'],
    ['price_target', 'Our price target is 120,000 USD.'],
    ['price_target', 'It is targeting 100,000 USD.'],
    ['valuation', 'The coin is undervalued.'],
    ['valuation', 'It looks over-valued.'],
    ['valuation', 'Its fair value is 90,000 USD.'],
    ['valuation', 'It trades below its intrinsic value.'],
    ['valuation', 'It is cheap here.'],
    ['prediction', 'The price will likely rise.'],
    ['prediction', 'It could reach 100,000 USD.'],
    ['prediction', 'It is expected to climb.'],
    ['prediction', 'The token is poised to rally.'],
    ['prediction', 'It has upside potential.'],
  ])('finds a %s in %j', (kind, text) => {
    expect(findForbidden(text)?.kind).toBe(kind)
  })

  it.each([
    ['full-width letters', 'ｈａｌａｌ'],
    ['a zero-width space', 'ha\u200blal'],
    ['a soft hyphen', 'under\u00advalued'],
    ['Markdown', 'und**er**valued'],
    ['accents', 'hálál'],
    ['line breaks', 'price\n\ntarget'],
    ['a non-breaking space', 'fair\u00a0value'],
    ['capitals', 'UNDERVALUED'],
  ])('is not deceived by %s', (_how, text) => {
    expect(findForbidden(text)).not.toBeNull()
  })

  it.each([
    'Bitcoin (BTC) had a consensus price of 84,132.36 USD on 2026-11-19, +2.1 % over 7 days.',
    'Realised volatility was 45.2 % a year; the largest drawdown was 12 %.',
    'The ratios are read against the published thresholds of 0.33, 0.33 and 0.05.',
    'The price was below its 200-day average, and shareholders of the issuer file no report.',
    'Volume was twice its 30-day mean, with four exchanges behind the price.',
    'It is the native coin of a network that agrees on blocks by proof of stake.',
  ])('accepts a fact: %s', (text) => {
    expect(findForbidden(text)).toBeNull()
  })

  it('quotes briefly what it found', () => {
    expect(findForbidden('This is a Price  Target of 3.')).toEqual({
      kind: 'price_target',
      words: 'Price Target',
    })
  })
})
