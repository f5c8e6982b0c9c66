import type { FigureName } from './figure-rules-model.js'

/** What each figure is, in a sentence with its unit. */
export const FIGURE_TEXTS: Readonly<Record<FigureName, string>> = {
  revenue_usd: 'Revenue of the period, USD.',
  net_income_usd: 'Net income of the period, USD. Negative for a loss.',
  ebitda_usd: 'Operating income plus depreciation and amortisation of the period, USD.',
  interest_income_usd: 'Interest income of the period, USD.',
  eps_basic: 'Basic earnings per share of the period, USD.',
  eps_diluted: 'Diluted earnings per share of the period, USD.',
  total_debt_usd:
    'Debt that bears interest at the end of the period, including what is due within a year and finance leases, USD.',
  cash_and_equivalents_usd: 'Cash and cash equivalents at the end of the period, USD.',
  short_term_investments_usd:
    'Short-term investments and marketable securities at the end of the period, USD.',
  total_assets_usd: 'Total assets at the end of the period, USD.',
  accounts_receivable_usd: 'Current receivables at the end of the period, USD.',
  shares_outstanding: 'Shares outstanding, from the cover page of the filing.',
  public_float_usd:
    'Public float (market value of the shares held by outsiders) at the end of the second fiscal quarter, from the cover page of the filing, USD.',
}
