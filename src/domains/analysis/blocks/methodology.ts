import type { Method } from '../../../core/method.js'
import type { AnalysisType } from '../model.js'

/** Model card of one type of analysis. */
export interface MethodologyCard {
  readonly analysisType: AnalysisType
  readonly title: string
  /** Description of the computation. */
  readonly method: string
  readonly inputs: readonly string[]
  /** Limits of the method: what it does not say and where it fails. */
  readonly limits: readonly string[]
}

const NO_ADVICE = 'Describes what the data show. No target, no fair value, no verdict, no recommendation.'

/** The cards of the rules, by kind of analysis; versions are in METHODOLOGY_VERSIONS. */
export const METHODOLOGY_CARDS: Readonly<Record<AnalysisType, MethodologyCard>> = {
  halal_analysis: {
    analysisType: 'halal_analysis',
    title: 'Factual classification and AAOIFI ratios',
    method:
      'What kind of token an asset is (native coin, token or stablecoin) and how its network agrees on blocks; and the three AAOIFI ratios from the latest filing: interest-bearing debt and cash to market capitalisation, each beside the bound 0.33, and interest income to revenue, beside the bound 0.05. Every ratio names its figures, filing and period. Of a stock (version halal-stock-1) the latest annual report counts, with cash and short-term investments against the mean market capitalisation of 24 months, else the public float. Never scored.',
    inputs: ['Recorded kind of each token', 'Balance sheet and income statement of the latest filing'],
    limits: [
      'A measurement beside published bounds, not a ruling: only scholars rule.',
      'A ratio without all its inputs is null and counts neither way; what files no balance sheet has none.',
      NO_ADVICE,
    ],
  },
  market_context: {
    analysisType: 'market_context',
    title: 'Price, volume and breadth',
    method:
      'Newest consensus price and its changes over 24 hours and 7 days (daily means), market capitalisation, the last day’s volume against the mean of the 30 days before, the exchanges behind the price, the share of the last 24 hours with a price, and breadth: the share of the tier above its 20-day average. Score: the mean of tanh(change_7d / (volatility_30d × √(7/365))) and 2 × breadth − 1; null when either is missing, and for stablecoins. Of a stock or fund (version market-context-listed-1): the newest closing price, adjusted for splits, its changes over 7, 30 and 365 days, the volatility of 21 daily closes a year, and its place below the highest close of the year; score tanh(change_30d / (volatility × √(30/365))), null without daily closes.',
    inputs: [
      'Closing prices of stocks and funds, and splits',
      'Hourly and daily consensus series',
      'Supply of the asset',
      'Series of the other assets of its tier',
    ],
    limits: ['Knows prices and volumes only: no news, no order books, no intent.', NO_ADVICE],
  },
  regime: {
    analysisType: 'regime',
    title: 'Return, volatility and trend',
    method:
      'Returns over 7, 30 and 90 days, annualised realised volatility, largest drawdown, and the 20-, 50- and 200-day averages of the daily consensus price. Score: the mean of trend (+1 above, −1 below, averaged over the three averages) and momentum tanh(return_30d / (volatility_30d × √(30/365))); null when any is missing. Stablecoins have no regime.',
    inputs: ['Daily consensus series of the asset, of days that had ended'],
    limits: [
      'Describes the windows it names; it does not forecast.',
      'A window with too few days gives null, never zero.',
      NO_ADVICE,
    ],
  },
}

const SUMMARIES: Readonly<Record<AnalysisType, string>> = {
  halal_analysis:
    'Recorded kind of the asset, and AAOIFI ratios beside their published bounds. Never scored.',
  market_context: 'Newest price, its changes and volatility, beside volume and breadth where they are known.',
  regime: 'Returns, volatility, drawdown and trend of the daily consensus price.',
}

/** The method of an analysis, for `meta.data_methodology`. */
export function analysisMethod(analysisType: AnalysisType): Method {
  return { summary: SUMMARIES[analysisType], section: 'ai-analyses' }
}
