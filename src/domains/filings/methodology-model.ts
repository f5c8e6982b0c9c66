import type { Method } from '../../core/method.js'

/** The market capitalisation behind the ratios of fundamentals. */
export type CapitalBasis = 'average' | 'float' | 'none'

const RATIOS_TO: Readonly<Record<CapitalBasis, string>> = {
  average: 'ratios to the mean market capitalisation of 24 months.',
  float: 'ratios to the public float, because the average of 24 months is unknown.',
  none: 'no ratio to market capitalisation, because none is known.',
}

export function fundamentalsMethod(capital: CapitalBasis): Method {
  return {
    summary: `From the latest filings, or computed from their amounts; ${RATIOS_TO[capital]}`,
    section: 'fundamentals-of-stocks',
  }
}

/** The method of stocks with a market capitalisation. */
export const MARKET_CAP_METHOD: Method = {
  summary:
    'market_cap_usd: newest imported closing price × shares outstanding on the SEC cover page before it.',
  section: 'market-capitalisation-of-stocks',
}

/** The method of the figures that lists of stocks are sorted by. */
export const SORT_FIGURE_METHOD: Method = {
  summary: 'sort_value: from the latest filings, or computed from their amounts.',
  section: 'fundamentals-of-stocks',
}

export const STOCK_FUNDAMENTALS_VERSION = 'fundamentals-3'
