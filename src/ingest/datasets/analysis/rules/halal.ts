import {
  AAOIFI_BOUNDS,
  type AaoifiContent,
  isBelowThresholds,
  RATIO_NAMES,
  type RatioInput,
  type RatioName,
  type Signal,
} from '../../../../domains/analysis/model.js'
import type { TokenProfile } from '../facts/token-profile.js'
import type { AnalysisInput, BalanceFigures } from '../generator.js'
import { type Findings, fraction, truth } from './findings.js'
import { roundTo } from './statistics.js'
import { formatAssetTitle, sentence } from './summary.js'

/** Numerator and denominator: debt and cash over market capitalisation, interest income over revenue. */
const FIGURES = {
  debt_to_market_cap: ['totalDebtUsd', 'marketCapUsd'],
  cash_to_market_cap: ['cashUsd', 'marketCapUsd'],
  interest_income_to_revenue: ['interestIncomeUsd', 'revenueUsd'],
} as const satisfies Record<RatioName, readonly [keyof BalanceFigures, keyof BalanceFigures]>

const FIGURE_NAMES = {
  totalDebtUsd: 'total_debt_usd',
  cashUsd: 'cash_and_equivalents_usd',
  interestIncomeUsd: 'interest_income_usd',
  revenueUsd: 'revenue_usd',
  marketCapUsd: 'market_cap_usd',
} as const

const DECIMALS = 6

/**
 * The facts for a screening, without a ruling: the kind of token, and the three AAOIFI ratios beside their
 * published bounds. For an asset without a balance sheet the ratios are null, and `has_balance_sheet` says why. No
 * score.
 */
export function halalFindings(input: AnalysisInput, method: { readonly hasValidation: boolean }): Findings {
  const { balance, token } = input
  const aaoifi = computeRatios(balance)
  return {
    signals: [
      ...tokenSignals(token, method.hasValidation),
      truth('has_balance_sheet', balance !== null),
      ...RATIO_NAMES.map((name) => fraction(name, aaoifi[name], AAOIFI_BOUNDS[name])),
    ],
    sentimentScore: null,
    sentences: [kindSentence(input, method.hasValidation), ratioSentence(aaoifi, balance !== null)],
    aaoifi,
    window: null,
  }
}

/** Each ratio with 6 decimals; null if a figure is missing or the denominator is not positive. */
export function computeRatios(balance: BalanceFigures | null): AaoifiContent {
  const ratio = (name: RatioName): number | null => {
    const [numerator, denominator] = FIGURES[name].map((figure) => balance?.[figure] ?? null)
    if (numerator === undefined || numerator === null || !denominator || denominator < 0) return null
    return roundTo(numerator / denominator, DECIMALS)
  }
  const ratios = {
    debt_to_market_cap: ratio('debt_to_market_cap'),
    cash_to_market_cap: ratio('cash_to_market_cap'),
    interest_income_to_revenue: ratio('interest_income_to_revenue'),
  }
  return {
    ...ratios,
    below_thresholds: isBelowThresholds(ratios),
    inputs: balance === null ? [] : RATIO_NAMES.flatMap((name) => inputsOf(name, balance)),
  }
}

function inputsOf(ratio: RatioName, balance: BalanceFigures): readonly RatioInput[] {
  return FIGURES[ratio].map((figure) => ({
    ratio,
    figure: FIGURE_NAMES[figure],
    value: balance[figure],
    filing: balance.filing,
    period: balance.period,
  }))
}

function tokenSignals(token: TokenProfile | null, hasValidation: boolean): readonly Signal[] {
  const isKind = (kind: TokenProfile['kind']) => (token === null ? null : token.kind === kind)
  const usesProof = (proof: TokenProfile['validation']) =>
    token === null || token.validation === null ? null : token.validation === proof
  return [
    truth('is_native_coin', isKind('native_coin')),
    truth('is_token', isKind('token')),
    truth('is_stablecoin', isKind('stablecoin')),
    ...(hasValidation
      ? [
          truth('uses_proof_of_work', usesProof('proof_of_work')),
          truth('uses_proof_of_stake', usesProof('proof_of_stake')),
        ]
      : []),
  ]
}

const KINDS = {
  native_coin: 'the native coin of its own network',
  token: 'a token issued on a network',
  stablecoin: 'a stablecoin: a token meant to follow the price of a currency',
} as const

function kindSentence({ asset, token }: AnalysisInput, hasValidation: boolean): string {
  const title = formatAssetTitle(asset)
  if (token === null) return `The kind of ${title} is not recorded.`
  const proof = hasValidation ? token.validation : null
  const how = proof === null ? '' : `, which agrees on blocks by ${proof.replaceAll('_', ' ')}`
  return sentence(`${title} is ${KINDS[token.kind]}${how}`)
}

function ratioSentence(aaoifi: AaoifiContent, hasBalanceSheet: boolean): string {
  const bounds = `published bounds ${Object.values(AAOIFI_BOUNDS).join(', ')}`
  if (!hasBalanceSheet) {
    return `It files no balance sheet, so the three AAOIFI ratios (${bounds}) cannot be computed.`
  }
  const known = RATIO_NAMES.flatMap((name) => {
    const value = aaoifi[name]
    return value === null ? [] : [`${name.replaceAll('_', ' ')} ${value.toFixed(4)}`]
  })
  if (known.length === 0)
    return `None of the three AAOIFI ratios (${bounds}) can be computed from its filing.`
  return sentence(`AAOIFI ratios from its filing: ${known.join(', ')} (${bounds})`)
}
