/** How the figures of a fiscal year are found. */
const FIGURES =
  'Each figure of the fiscal year is that of the latest filing which states it, by the first tag of its chain that is ' +
  'stated; of tags of which one may be a part of another the largest counts, and a part without its total is no figure; ' +
  'total_debt_usd is long-term debt as a total, else its parts, with short-term borrowings and finance leases; ebitda_usd is ' +
  'operating income plus depreciation and amortisation. Tags of US-GAAP come before those of IFRS (ifrs-full, whose lease ' +
  'liabilities are not counted as debt); an amount in another currency than USD is not converted.'

const RATIOS =
  'AAOIFI ratios: total debt, and cash with short-term investments, to market capitalisation; interest income to revenue.'

const AVERAGE =
  'Market capitalisation: mean over the 24 months that end with the fiscal year of the last closing price of a month ' +
  'times the shares outstanding by the newest cover page before it, that of a 20-F left out.'

const FLOAT =
  'Market capitalisation: there is no average of 24 months, so the public float of the filing (dei:EntityPublicFloat) ' +
  'takes its place.'

const NONE = 'Market capitalisation: neither an average of 24 months nor a public float is known.'

/** `meta.data_methodology` of an answer. */
export function methodologyText(capital: 'average' | 'float' | 'none'): string {
  return [FIGURES, RATIOS, { average: AVERAGE, float: FLOAT, none: NONE }[capital]].join(' ')
}

/** The same of stocks that have a market capitalisation. */
export const MARKET_CAP_METHODOLOGY =
  'market_cap_usd: the newest imported closing price, in USD, times the shares outstanding by the newest cover page of a ' +
  'report to the SEC before it (dei:EntityCommonStockSharesOutstanding).'

/** Version of that method. */
export const STOCK_FUNDAMENTALS_VERSION = 'fundamentals-2'
