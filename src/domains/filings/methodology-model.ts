/** The method of the figures of a fiscal year. */
const FIGURES =
  'Each figure of the fiscal year is from the latest filing that states it, by the first stated tag of its chain. If one tag ' +
  'may be a part of another, the largest value is used; a part without its total is not used. total_debt_usd is total ' +
  'long-term debt, otherwise the sum of its parts, plus short-term borrowings and finance leases. ebitda_usd is operating ' +
  'income plus depreciation and amortisation. Tags of US-GAAP come before those of IFRS (ifrs-full, whose lease liabilities ' +
  'do not count as debt). Amounts in other currencies than USD are not converted.'

const RATIOS =
  'AAOIFI ratios: total debt, and cash with short-term investments, to market capitalisation; interest income to revenue.'

const AVERAGE =
  'Market capitalisation: for the 24 months that end with the fiscal year, the mean of the last closing price of a month ' +
  'times the shares outstanding on the newest cover page before it, except cover pages of a 20-F.'

const FLOAT =
  'Market capitalisation: the public float of the filing (dei:EntityPublicFloat), because the average of 24 months is ' +
  'unknown.'

const NONE = 'Market capitalisation: neither an average of 24 months nor a public float is known.'

/** `meta.data_methodology` of fundamentals. */
export function methodologyText(capital: 'average' | 'float' | 'none'): string {
  return [FIGURES, RATIOS, { average: AVERAGE, float: FLOAT, none: NONE }[capital]].join(' ')
}

/** `meta.data_methodology` of stocks with a market capitalisation. */
export const MARKET_CAP_METHODOLOGY =
  'market_cap_usd: the newest imported closing price in USD times the shares outstanding on the newest SEC cover page ' +
  'before it (dei:EntityCommonStockSharesOutstanding).'

/** Version of the method of fundamentals. */
export const STOCK_FUNDAMENTALS_VERSION = 'fundamentals-2'
