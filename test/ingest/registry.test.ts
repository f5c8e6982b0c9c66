import { describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../src/core/providers.js'
import { parseIsoDate } from '../../src/core/time.js'
import { forexSink } from '../../src/ingest/datasets/forex/ingestion.js'
import { instrumentsSink } from '../../src/ingest/datasets/instruments/ingestion.js'
import { macroSink } from '../../src/ingest/datasets/macro/ingestion.js'
import { candlesSink, supplySink } from '../../src/ingest/datasets/market/ingestion.js'
import { IngestError } from '../../src/ingest/feed.js'
import { allowsCommercialUse, FEEDS, findFeed, licenceOfSource } from '../../src/ingest/registry.js'

describe('the registry of feeds', () => {
  it('finds each feed by its id, and each id once', () => {
    const ids = FEEDS.map(({ feed }) => feed.id)
    expect(ids.filter((id) => !id.startsWith('bis'))).toEqual([
      'reference',
      'reference-currencies',
      'reference-markets',
      'sec-symbols',
      'sec-fund-names',
      'sec-funds',
      'sec-submissions',
      'figi-symbols',
      'coinbase-listings',
      'bitstamp-listings',
      'kraken-listings',
      'binance-listings',
      'okx-listings',
      'ecb-history',
      'ecb-daily',
      'supply-rule',
      'bls-history',
      'bls',
      'boj',
      'bok',
      'ecb-series-history',
      'ecb-series',
      'treasury-history',
      'treasury',
      'ofac',
      'ofac-consolidated',
      'un-sanctions',
      'uk-sanctions',
      'eu-financial-sanctions',
      'eu-sanctions',
      'opensanctions',
      'opensanctions-delta',
      'opensanctions-securities',
      'gleif',
      'sec-facts',
      'worldbank-commodities',
      'imf-commodities',
      'defillama-protocols',
      'defillama-fees',
      'defillama-revenue',
    ])
    expect(ids.filter((id) => id.startsWith('bis')).sort()).toEqual([
      'bis',
      'bis-cbpol',
      'bis-credit-gap',
      'bis-dsr',
      'bis-eer',
      'bis-lbs-d-pub',
      'bis-long-cpi',
      'bis-spp',
      'bis-tc',
    ])
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.map((id) => findFeed(id).feed.id)).toEqual(ids)
  })

  it('suggests the likely feed, or lists all of them', () => {
    expect(() => findFeed('ecb-dayly')).toThrow(
      new IngestError('feed "ecb-dayly" does not exist; did you mean ecb-daily?'),
    )
    expect(() => findFeed('zzz')).toThrow(
      'feed "zzz" does not exist; known are reference, reference-currencies, reference-markets, sec-symbols, sec-fund-names, sec-funds, sec-submissions, figi-symbols',
    )
  })
})

describe('the terms of a source', () => {
  it('are known for every provider', () => {
    const providers = Object.values(PROVIDERS)
    expect(providers.length).toBeGreaterThan(20)
    for (const { id, licence, licensedForCommercialUse } of providers) {
      expect([id, licenceOfSource(id), allowsCommercialUse(id)]).toEqual([
        id,
        licence,
        licensedForCommercialUse,
      ])
    }
  })

  it('are known for data that the gateway creates, and for no other source', () => {
    for (const id of ['consensus_vwap', 'issuance_rule', 'seed']) expect(licenceOfSource(id)).not.toBeNull()
    expect([licenceOfSource('nobody'), allowsCommercialUse('nobody')]).toEqual([null, null])
  })
})

describe('the newest fact among rows', () => {
  const known = { knownAt: new Date('2026-11-20T15:30:00Z'), source: 'x' }
  const day = (text: string) => parseIsoDate(text) ?? expect.fail(`${text} is not a date`)

  it('is the publication of the latest day of rates, in any order', () => {
    const rates = ['2026-11-18', '2026-11-19', '2026-01-05'].map((date) => ({ date: day(date) }) as never)
    expect(forexSink.newest?.(rates, known)).toEqual(new Date('2026-11-19T15:00:00Z'))
  })

  it('is the end of the latest window of candles, of whatever length', () => {
    const candle = (timeframe: '1h' | '1d', ts: string) => ({ timeframe, ts: new Date(ts) }) as never
    const newest = (...candles: readonly never[]) => candlesSink.newest?.(candles, known).toISOString()
    expect(newest(candle('1d', '2026-11-17'), candle('1d', '2019-01-01'))).toBe('2026-11-18T00:00:00.000Z')
    expect(newest(candle('1d', '2026-11-17'), candle('1h', '2026-11-18'))).toBe('2026-11-18T01:00:00.000Z')
  })

  it('is the end of the latest period of series, of whatever length, once it is over', () => {
    const of = (frequency: string, start: string) => ({ series: { frequency }, periodStart: start }) as never
    const newest = (...rows: readonly never[]) => macroSink('bis').newest?.(rows, known).toISOString()
    expect(newest(of('quarterly', '2026-04-01'), of('annual', '2025-01-01'))).toBe('2026-07-01T00:00:00.000Z')
    expect(newest(of('quarterly', '2026-10-01'))).toBe(known.knownAt.toISOString())
  })

  it('is the latest count of supplies, and the confirmation of master data', () => {
    const supplies = ['2026-11-18', '2026-11-20'].map((at) => ({ observedAt: new Date(at) }) as never)
    expect(supplySink.newest?.(supplies, known)).toEqual(new Date('2026-11-20'))
    expect(instrumentsSink.newest?.([], known)).toEqual(known.knownAt)
  })
})
