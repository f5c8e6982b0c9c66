import { describe, expect, it } from 'vitest'
import { ecbPublication, isTargetDay } from '../../../../src/core/calendars/target.js'
import { parseIsoDate } from '../../../../src/core/time.js'
import { FOREX_CURRENCIES } from '../../../../src/domains/forex/model.js'
import { seedForex, seedForexBody } from '../../../../src/ingest/datasets/forex/seed-forex.js'

const NOON = new Date('2026-11-20T12:00:00Z')

function ratesAt(now: Date): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const byQuote = new Map<string, Map<string, string>>()
  const body = seedForexBody(now) ?? expect.fail('no body')
  for (const item of seedForex.parse(body, { now, onRead: () => {}, onAbsent: () => {} })) {
    if (item.kind === 'rejected') throw new Error(`${item.position}: ${item.reason}`)
    const { quote, date, rate } = item.row
    byQuote.set(quote, (byQuote.get(quote) ?? new Map()).set(date, rate))
  }
  return byQuote
}

describe('seedForexBody', () => {
  const rates = ratesAt(NOON)

  it('has 1,215 TARGET days for each of the 30 currencies, up to the last published one', () => {
    expect([...rates.keys()].sort()).toEqual(FOREX_CURRENCIES.map(({ code }) => code))
    for (const [quote, days] of rates) {
      expect(days.size).toBe(1_215)
      const dates = [...days.keys()].sort()
      expect(dates.at(-1)).toBe(quote === 'BGN' ? '2025-12-31' : '2026-11-19')
      expect(dates.filter((text) => !isTargetDay(parseIsoDate(text) ?? expect.fail(text)))).toEqual([])
    }
  })

  it('has the pegged lev at its rate on every day', () => {
    expect(new Set(rates.get('BGN')?.values())).toEqual(new Set(['1.95583']))
  })

  it('moves plausibly: above zero, within 15 % of the level, under 2 % a day, with the decimals of the ECB', () => {
    for (const [quote, days] of rates) {
      const values = [...days.values()].map(Number)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(Math.max(...values.map((value) => Math.abs(value / mean - 1)))).toBeLessThan(0.15)
      const moves = values.slice(1).map((value, at) => Math.abs(value / (values[at] ?? value) - 1))
      expect(Math.max(...moves)).toBeLessThan(0.02)
      const decimals = ['JPY', 'KRW', 'IDR', 'HUF'].includes(quote) ? 2 : quote === 'BGN' ? 5 : 4
      expect(Math.max(...[...days.values()].map((text) => text.split('.')[1]?.length ?? 0))).toBe(decimals)
    }
  })

  it('gives a day the same rate at any time, and today only after its publication', () => {
    const published = ecbPublication(parseIsoDate('2026-11-20') ?? expect.fail('no date'))
    const before = ratesAt(new Date(published.getTime() - 1))
    const after = ratesAt(published)
    expect(before).toEqual(rates)
    const usd = after.get('USD') ?? expect.fail('no USD')
    expect(usd.has('2026-11-20')).toBe(true)
    const common = [...usd].filter(([date]) => rates.get('USD')?.has(date))
    expect(common.length).toBe(1_214)
    expect(common.filter(([date, rate]) => rates.get('USD')?.get(date) !== rate)).toEqual([])
  })
})
