import type { Period } from '../../../core/time.js'

/** A requested series, as the Bank of Japan describes it. */
export interface BojListedSeries {
  /** Database of the Bank, e.g. FM08. */
  readonly db: string
  readonly code: string
  readonly frequency: Period['frequency']
  readonly unit: string
  readonly title: string
}

/** The series that the feed requests; other series can come from a file. */
// biome-ignore format: one series a line
export const BOJ_SERIES: readonly BojListedSeries[] = [
  { db: 'BS01', code: 'MABJMTA', frequency: 'monthly', unit: '100 million yen', title: 'Bank of Japan Accounts, Total Assets' },
  { db: 'CO', code: 'TK99F1000601GCQ01000', frequency: 'quarterly', unit: '% points', title: 'D.I./Business Conditions/Large Enterprises/Manufacturing/Actual result' },
  { db: 'FM01', code: 'STRDCLUCON', frequency: 'daily', unit: 'percent per annum', title: 'Call Rate, Uncollateralized Overnight, Average (Daily)' },
  { db: 'FM08', code: 'FXERD04', frequency: 'daily', unit: 'Yen per U.S. Dollar', title: 'US.Dollar/Yen Spot Rate at 17:00 in JST, Tokyo Market' },
  { db: 'FM08', code: 'FXERD34', frequency: 'daily', unit: 'U.S. Dollar per Euro', title: 'Euro/US.Dollar as of 17:00 in JST, Tokyo Market' },
  { db: 'FM08', code: 'FXERM07', frequency: 'monthly', unit: 'Yen per U.S. Dollar', title: 'US.Dollar/Yen Spot Rate at 17:00 in JST, Average in the Month, Tokyo Market' },
  { db: 'FM09', code: 'FX180110001', frequency: 'monthly', unit: 'CY2020=100', title: 'Nominal Effective Exchange Rate' },
  { db: 'FM09', code: 'FX180110002', frequency: 'monthly', unit: 'CY2020=100', title: 'Real Effective Exchange Rate' },
  { db: 'IR01', code: 'MADR1Z@D', frequency: 'daily', unit: 'percent per annum', title: 'The Basic Discount Rate and Basic Loan Rate' },
  { db: 'MD01', code: 'MABS1AN11', frequency: 'monthly', unit: '100 million yen', title: 'Monetary Base/Average Amounts Outstanding' },
  { db: 'MD02', code: 'MAM1YAM2M2MO', frequency: 'monthly', unit: '%', title: 'M2/Average Amounts Outstanding/Percent Change from the Previous Year in Average Amounts' },
  { db: 'PR01', code: 'PRCG20_2200000000', frequency: 'monthly', unit: 'CY2020=100', title: 'Producer Price Index, All Commodities' },
]
