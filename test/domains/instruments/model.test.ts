import { describe, expect, it } from 'vitest'
import { type Listing, preferredListing } from '../../../src/domains/instruments/model.js'

const listing = (facts: Partial<Listing>): Listing => ({
  assetId: 1,
  slug: 'x',
  ticker: 'X',
  name: 'X',
  assetClass: 'stock',
  isin: null,
  figi: null,
  mic: null,
  currency: 'USD',
  sectorGics: null,
  cik: null,
  isPrimary: true,
  source: 'seed',
  lastUpdated: new Date(0),
  exchange: null,
  securityType: null,
  issuerSlug: null,
  inactiveSince: null,
  ...facts,
})

describe('the preferred listing of a bare ticker', () => {
  it('is null without listings', () => {
    expect(preferredListing([])).toBeNull()
  })

  it.each([
    [
      'a primary one before one of a preferred class',
      listing({ isPrimary: true, assetClass: 'commodity' }),
      listing({ isPrimary: false, assetClass: 'crypto' }),
    ],
    ['crypto before stock', listing({ assetClass: 'crypto', assetId: 9 }), listing({ assetClass: 'stock' })],
    ['stock before ETF', listing({ assetClass: 'stock', assetId: 9 }), listing({ assetClass: 'etf' })],
    [
      'ETF before commodity',
      listing({ assetClass: 'etf', assetId: 9 }),
      listing({ assetClass: 'commodity' }),
    ],
    ['the lower key of the same class', listing({ assetId: 2 }), listing({ assetId: 9 })],
  ])('is %s, in any order of the listings', (_, preferred, other) => {
    expect(preferredListing([preferred, other])).toBe(preferred)
    expect(preferredListing([other, preferred])).toBe(preferred)
  })
})
