import { describe, expect, it } from 'vitest'
import {
  candleGrainOf,
  touchedCandleGrains,
} from '../../../../src/domains/market/candles/candle-grains-model.js'

const at = (text: string) => new Date(`${text}Z`)
const SLUGS = new Map([
  [1, 'bitcoin'],
  [2, 'ethereum'],
])
const dayOf = (ts: string, assetId = 1) => ({ assetId, timeframe: '1d' as const, ts: at(`${ts}T00:00:00`) })

const touchedBy = (rows: readonly ReturnType<typeof dayOf>[], now: string) =>
  Object.fromEntries(touchedCandleGrains(rows, SLUGS, at(now)))
const readBy = (until: string | null, now: string) =>
  candleGrainOf('bitcoin', { until: until === null ? null : at(until) }, { now: at(now) })

describe('the grain of candles', () => {
  it('is that of the asset for windows that reach into the month, and for the newest', () => {
    expect(readBy('2026-11-01T01:00:00', '2026-11-20T12:00:00')).toBe('candles/bitcoin')
    expect(readBy(null, '2026-11-20T12:00:00')).toBe('candles/bitcoin')
    expect(readBy('2026-11-01T00:00:00', '2026-10-31T23:59:59')).toBe('candles/bitcoin')
  })

  it('is that of the closed months for windows that end with the last month or before', () => {
    expect(readBy('2026-11-01T00:00:00', '2026-11-20T12:00:00')).toBe('candles/bitcoin.closed')
    expect(readBy('2019-03-01T00:00:00', '2026-11-20T12:00:00')).toBe('candles/bitcoin.closed')
    expect(readBy('2026-11-01T00:00:00', '2026-11-01T00:00:00')).toBe('candles/bitcoin.closed')
  })

  it('of a candle is that of its asset, with the end of the newest window', () => {
    const rows = [dayOf('2026-11-10'), dayOf('2026-11-12'), dayOf('2026-11-11'), dayOf('2026-11-09', 2)]
    expect(touchedBy(rows, '2026-11-20T12:00:00')).toEqual({
      bitcoin: at('2026-11-13T00:00:00'),
      ethereum: at('2026-11-10T00:00:00'),
    })
  })

  it('of a candle of a closed month is that of the closed months too', () => {
    expect(touchedBy([dayOf('2024-02-29'), dayOf('2026-11-10')], '2026-11-20T12:00:00')).toEqual({
      bitcoin: at('2026-11-11T00:00:00'),
      'bitcoin.closed': at('2024-03-01T00:00:00'),
    })
  })

  it.each([
    ['2026-11-28T23:59:59', ['bitcoin']],
    ['2026-11-29T00:00:00', ['bitcoin', 'bitcoin.closed']],
    ['2026-11-30T23:59:59', ['bitcoin', 'bitcoin.closed']],
    ['2026-12-01T00:00:00', ['bitcoin', 'bitcoin.closed']],
  ])('of a candle written at %s around the end of its month is %j, because clocks differ', (now, grains) => {
    expect(Object.keys(touchedBy([dayOf('2026-11-27')], now))).toEqual(grains)
  })
})
