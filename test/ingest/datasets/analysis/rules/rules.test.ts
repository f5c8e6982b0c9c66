import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../../../src/core/canonical-json.js'
import { ANALYSIS_TYPES } from '../../../../../src/domains/analysis/model.js'
import type { AnalysisInput } from '../../../../../src/ingest/datasets/analysis/generator.js'
import { analyseByRules } from '../../../../../src/ingest/datasets/analysis/rules/rules.js'
import { findForbidden } from '../../../../../src/ingest/datasets/analysis/words/forbidden-words.js'
import { AS_OF, days, hours, input, times } from './points.js'

function signalsOf(given: AnalysisInput): Record<string, unknown> {
  return Object.fromEntries(analyseByRules(given).content.signals.map(({ name, value }) => [name, value]))
}

describe('regime', () => {
  /** 100 up to 30 days ago, then 110 for 23 days, then 121. */
  const steps = days([...times(336, () => 100), ...times(23, () => 110), ...times(7, () => 121)])

  it('measures returns, drawdown and averages as computed by hand', () => {
    expect(signalsOf(input({ daily: steps }))).toMatchObject({
      price_usd: 121,
      return_7d: 0.1,
      return_30d: 0.21,
      return_90d: 0.21,
      max_drawdown_90d: 0,
      max_drawdown_365d: 0,
      moving_average_20d: 113.85, // (13 x 110 + 7 x 121) / 20
      moving_average_50d: 107.54, // (20 x 100 + 23 x 110 + 7 x 121) / 50
      moving_average_200d: 101.885, // (170 x 100 + 23 x 110 + 7 x 121) / 200
      price_to_moving_average_20d: 1.062802,
    })
  })

  it('annualises 30 daily log returns by 365 days', () => {
    // Two of 30 returns are ln 1.1, the others 0.
    const r = Math.log(1.1)
    const mean = (2 * r) / 30
    const deviation = Math.sqrt((2 * (r - mean) ** 2 + 28 * mean ** 2) / 29)
    const { realised_volatility_30d: volatility } = signalsOf(input({ daily: steps }))
    expect(volatility).toBeCloseTo(deviation * Math.sqrt(365), 6)
    const first = analyseByRules(input({ daily: steps }), 'rules-0', 0)
    const before = first.content.signals.find(({ name }) => name === 'realised_volatility_30d')
    expect(before?.value).toBeCloseTo(deviation * Math.sqrt(252), 6)
  })

  it('scores trend and momentum by the formula', () => {
    const r = Math.log(1.1)
    const mean = (2 * r) / 30
    const volatility = Math.sqrt((2 * (r - mean) ** 2 + 28 * mean ** 2) / 29) * Math.sqrt(365)
    const expected = (1 + Math.tanh(0.21 / (volatility * Math.sqrt(30 / 365)))) / 2
    expect(analyseByRules(input({ daily: steps })).content.sentiment_score).toBeCloseTo(expected, 4)
  })

  it('gives null, not zero, and no score if the history is too short', () => {
    const { content } = analyseByRules(input({ daily: days(times(20, () => 50)) }))
    const values = Object.fromEntries(content.signals.map(({ name, value }) => [name, value]))
    expect(values).toMatchObject({
      price_usd: 50,
      return_7d: 0,
      return_30d: null,
      return_90d: null,
      realised_volatility_30d: null,
      max_drawdown_90d: null,
      moving_average_20d: 50,
      moving_average_50d: null,
      price_to_moving_average_50d: null,
    })
    expect(content.sentiment_score).toBeNull()
  })

  it('is all null without a series, and says so', () => {
    const { content, dataWindowFrom, dataWindowTo } = analyseByRules(input({}))
    expect(content.signals.every(({ value }) => value === null)).toBe(true)
    expect(content.summary).toBe('No recent consensus price of Bitcoin (BTC) is known as of 2026-11-20.')
    expect([dataWindowFrom, dataWindowTo]).toEqual([null, null])
  })

  it('ignores the current day and names the window used', () => {
    const today = { ts: new Date('2026-11-20T00:00:00Z'), priceUsd: 999, volumeUsd: 1, exchangesCount: 4 }
    const made = analyseByRules(input({ daily: [...days([100, 110]), today] }))
    expect(made.content.signals[0]).toEqual({ name: 'price_usd', value: 110, unit: 'USD', threshold: null })
    expect(made.dataWindowFrom).toEqual(new Date('2026-11-18T00:00:00Z'))
    expect(made.dataWindowTo).toEqual(new Date('2026-11-20T00:00:00Z'))
  })

  it('does not score the market context of a stablecoin', () => {
    const token = { kind: 'stablecoin', validation: null } as const
    const given = input({ analysisType: 'market_context', daily: steps, token })
    expect(analyseByRules(given).content.sentiment_score).toBeNull()
  })

  it('states the figures in words', () => {
    expect(analyseByRules(input({ daily: steps })).content.summary).toBe(
      'Bitcoin (BTC) had a consensus price of 121 USD on 2026-11-19, +10.0 % over 7 days, +21.0 % over 30 days, ' +
        '+21.0 % over 90 days. Realised volatility was 46.2 % a year over 30 days and the largest drawdown of 90 days ' +
        'was 0.0 %. The price was above its 20-day, 50-day and 200-day averages.',
    )
    expect(analyseByRules(input({ daily: steps }), 'rules-0', 0).content.summary).toBe(
      'Bitcoin (BTC) had a consensus price of 121 USD on 2026-11-19, +10.0 % over 7 days, +21.0 % over 30 days, ' +
        '+21.0 % over 90 days.',
    )
  })
})

describe('market_context', () => {
  const given = input({
    analysisType: 'market_context',
    daily: [...days([...times(30, () => 100), 110]).slice(0, -1), ...days([110], 3_000)],
    hourly: hours([100, ...times(20, () => 104), null, null, null, 105]),
    supplyUnits: 21_000_000,
    tierBreadth: 0.75,
  })

  it('measures price, changes, volume, coverage, age and breadth as computed by hand', () => {
    expect(signalsOf(given)).toEqual({
      price_usd: 105,
      change_24h: 0.05,
      change_7d: 0.1,
      market_cap_usd: 2_205_000_000,
      volume_1d_usd: 3_000,
      volume_to_mean_30d: 3,
      exchanges_count: 4,
      priced_windows_24h: 0.875,
      newest_window_age: 0,
      tier_breadth_20d: 0.75,
    })
  })

  it('scores momentum and breadth by the formula', () => {
    const r = Math.log(1.1)
    const volatility = Math.sqrt(((r - r / 30) ** 2 + 29 * (r / 30) ** 2) / 29) * Math.sqrt(365)
    const momentum = Math.tanh(0.1 / (volatility * Math.sqrt(7 / 365)))
    expect(analyseByRules(given).content.sentiment_score).toBeCloseTo((momentum + 0.5) / 2, 4)
  })

  it('uses the last day without hourly windows, and states its age in relation to the interval of the tier', () => {
    const { content } = analyseByRules({ ...given, hourly: [], supplyUnits: null, tierBreadth: null })
    const values = Object.fromEntries(content.signals.map((signal) => [signal.name, signal]))
    expect(values).toMatchObject({
      price_usd: { value: 110 },
      change_24h: { value: null },
      market_cap_usd: { value: null },
      priced_windows_24h: { value: null },
      newest_window_age: { value: 12, unit: 'hours', threshold: 1 },
      tier_breadth_20d: { value: null },
    })
    expect(content.sentiment_score).toBeNull()
  })

  it('states the figures in words', () => {
    expect(analyseByRules(given).content.summary).toBe(
      'Bitcoin (BTC) had a consensus price of 105 USD from 4 exchanges, +5.0 % over 24 hours, +10.0 % over 7 days. ' +
        "The last day's volume was 3.00 times the mean of 30 days before and 87.5 % of the last 24 hourly windows had " +
        'a price. 75.0 % of the assets of tier 1 were above their 20-day average.',
    )
  })
})

describe('any input', () => {
  const price = fc.option(fc.double({ min: 1e-8, max: 1e7, noNaN: true }), { freq: 6 })
  const anyInput = fc
    .record({
      type: fc.constantFrom(...ANALYSIS_TYPES),
      daily: fc.array(price, { maxLength: 370 }),
      hourly: fc.array(price, { maxLength: 30 }),
      tierBreadth: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      supplyUnits: fc.option(fc.double({ min: 1, max: 1e15, noNaN: true })),
    })
    .map(({ type, daily, hourly, ...rest }) =>
      input({ analysisType: type, daily: days(daily), hourly: hours(hourly), ...rest }),
    )

  it('gives a score in [-1, 1], content with one JSON text, and no forbidden word', () => {
    fc.assert(
      fc.property(anyInput, fc.constantFrom(0, 1) as fc.Arbitrary<0 | 1>, (given, edition) => {
        const { content } = analyseByRules(given, 'rules-1', edition)
        expect(Math.abs(content.sentiment_score ?? 0)).toBeLessThanOrEqual(1)
        expect(canonicalJson(content)).toBe(canonicalJson(analyseByRules(given, 'rules-1', edition).content))
        expect(findForbidden(content.summary)).toBeNull()
        expect(content.summary).not.toMatch(/NaN|Infinity|null|undefined|e[+-]\d/)
        expect(new Set(content.signals.map(({ name }) => name)).size).toBe(content.signals.length)
      }),
      { numRuns: 300 },
    )
  })

  it('gives no weight to data after the instant', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const later = { ts: AS_OF, priceUsd: 12_345, volumeUsd: 1, exchangesCount: 4 }
        const withFuture = { ...given, daily: [...given.daily, later], hourly: [...given.hourly, later] }
        const figures = (of: AnalysisInput) => ({ ...signalsOf(of), priced_windows_24h: null })
        expect(figures(withFuture)).toEqual(figures(given))
      }),
    )
  })
})
