import type { IsoDate } from '../../core/time.js'
import { type FundProfile, USD } from './model.js'

const UNKNOWN: FundProfile = {
  issuer: null,
  expenseRatio: null,
  inceptionDate: null,
  seriesId: null,
  isharesUrl: null,
  xtrackersUrl: null,
  baseCurrency: null,
}

const ISHARES_US = 'https://www.ishares.com/us/products'

/** By slug. Series ids come from EDGAR filings, addresses and inception dates from the issuers' pages and files. */
const FUNDS: Readonly<Record<string, Partial<FundProfile>>> = {
  'spdr-sp-500': { issuer: 'State Street' },
  'ishares-core-sp-500': {
    issuer: 'iShares',
    inceptionDate: '2000-05-15' as IsoDate,
    seriesId: 'S000004310',
    isharesUrl: `${ISHARES_US}/239726/ishares-core-sp-500-etf/1467271812596.ajax?fileType=csv&fileName=IVV_holdings&dataType=fund`,
    baseCurrency: USD,
  },
  'invesco-qqq': { issuer: 'Invesco' },
  'vanguard-total-stock-market': { issuer: 'Vanguard' },
  'sp-funds-sp-500-sharia': { issuer: 'SP Funds' },
  'sp-funds-global-sukuk': { issuer: 'SP Funds', seriesId: 'S000067282' },
  'wahed-ftse-usa-shariah': { issuer: 'Wahed' },
  'spdr-gold-shares': { issuer: 'State Street' },
  'ishares-msci-world-islamic': { issuer: 'iShares' },
  'ishares-core-msci-world': { issuer: 'iShares' },
  'vanguard-ftse-all-world': { issuer: 'Vanguard' },
  'vanguard-sp-500-ucits': { issuer: 'Vanguard' },
  'vanguard-sp-500': { issuer: 'Vanguard' },
  'ishares-core-us-aggregate-bond': { issuer: 'iShares' },
  'ishares-russell-2000': { issuer: 'iShares' },
  'ishares-msci-eafe': { issuer: 'iShares' },
  'spdr-dow-jones-industrial-average': { issuer: 'State Street' },
  'ishares-msci-usa-islamic': { issuer: 'iShares' },
  'ishares-core-sp-500-ucits': { issuer: 'iShares' },
  'ishares-core-msci-em-imi': { issuer: 'iShares' },
}

/** Facts of the fund with this slug, all null if it is not in the table. */
export function fundProfileOf(slug: string): FundProfile {
  return { ...UNKNOWN, ...FUNDS[slug] }
}
