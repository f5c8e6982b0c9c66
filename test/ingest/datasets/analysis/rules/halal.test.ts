import { describe, expect, it } from 'vitest'
import { tokenProfileOf } from '../../../../../src/ingest/datasets/analysis/facts/token-profile.js'
import { computeRatios } from '../../../../../src/ingest/datasets/analysis/rules/halal.js'
import { analyseByRules } from '../../../../../src/ingest/datasets/analysis/rules/rules.js'
import { CRYPTO_ASSETS } from '../../../../../src/ingest/providers/reference/assets.js'
import { input } from './points.js'

describe('halal_analysis', () => {
  it('states the kind of token and why the ratios are null, beside their bounds', () => {
    const { content, dataLineage } = analyseByRules(input({ analysisType: 'halal_analysis' }))
    expect(content).toEqual({
      summary:
        'Bitcoin (BTC) is the native coin of its own network, which agrees on blocks by proof of work. It files no ' +
        'balance sheet, so the three AAOIFI ratios (published bounds 0.33, 0.33, 0.05) cannot be computed.',
      sentiment_score: null,
      signals: [
        { name: 'is_native_coin', value: true, unit: null, threshold: null },
        { name: 'is_token', value: false, unit: null, threshold: null },
        { name: 'is_stablecoin', value: false, unit: null, threshold: null },
        { name: 'uses_proof_of_work', value: true, unit: null, threshold: null },
        { name: 'uses_proof_of_stake', value: false, unit: null, threshold: null },
        { name: 'has_balance_sheet', value: false, unit: null, threshold: null },
        { name: 'debt_to_market_cap', value: null, unit: 'fraction', threshold: 0.33 },
        { name: 'cash_to_market_cap', value: null, unit: 'fraction', threshold: 0.33 },
        { name: 'interest_income_to_revenue', value: null, unit: 'fraction', threshold: 0.05 },
      ],
      aaoifi: {
        debt_to_market_cap: null,
        cash_to_market_cap: null,
        interest_income_to_revenue: null,
        below_thresholds: null,
        inputs: [],
      },
    })
    expect(dataLineage).toEqual([{ dataset: 'candles', version: 3, source: 'consensus_vwap' }])
  })

  it('leaves unknown facts open', () => {
    const { content } = analyseByRules(input({ analysisType: 'halal_analysis', token: null }))
    expect(content.signals.slice(0, 5).map(({ value }) => value)).toEqual([null, null, null, null, null])
    expect(content.summary).toMatch(/^The kind of Bitcoin \(BTC\) is not recorded\./)
  })

  it('divides the figures of a filing and names them', () => {
    const aaoifi = computeRatios({
      totalDebtUsd: 25,
      cashUsd: 50,
      interestIncomeUsd: 3,
      revenueUsd: null,
      marketCapUsd: 100,
      filing: '10-K 0000320193-26-000001',
      period: '2026-09-30',
    })
    expect(aaoifi).toMatchObject({
      debt_to_market_cap: 0.25,
      cash_to_market_cap: 0.5,
      interest_income_to_revenue: null,
    })
    expect(aaoifi.below_thresholds).toBeNull()
    expect(aaoifi.inputs).toHaveLength(6)
    expect(aaoifi.inputs[1]).toEqual({
      ratio: 'debt_to_market_cap',
      figure: 'market_cap_usd',
      value: 100,
      filing: '10-K 0000320193-26-000001',
      period: '2026-09-30',
    })
  })

  it('gives no ratio for a denominator of zero or less', () => {
    const balance = { totalDebtUsd: 1, cashUsd: 1, interestIncomeUsd: 1, filing: null, period: null }
    expect(computeRatios({ ...balance, marketCapUsd: 0, revenueUsd: -1 })).toMatchObject({
      debt_to_market_cap: null,
      interest_income_to_revenue: null,
    })
  })

  it('covers every asset of the synthetic data', () => {
    expect(CRYPTO_ASSETS.filter(({ slug }) => tokenProfileOf(slug) === null)).toEqual([])
    expect(tokenProfileOf('no-such-coin')).toBeNull()
  })
})
