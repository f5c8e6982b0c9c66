/**
 * A listing's market by its Bloomberg exchange code. A member is null if it differs between lines of that market.
 */
export interface Market {
  /** ISO 10383; null for a composite of several venues. */
  readonly mic: string | null
  /** ISO 4217; null if a market trades in several currencies and the code does not say which. */
  readonly currency: string | null
}

const market = (mic: string | null, currency: string | null): Market => ({ mic, currency })

/**
 * Common exchange codes. MICs as in the published table of exchange codes. A currency is given only if every line
 * of the market trades in it: London, Hong Kong, SIX, Euronext and the German venues also trade in dollars and
 * others.
 */
export const MARKETS: ReadonlyMap<string, Market> = new Map([
  // Composites of a country with several venues.
  ['US', market(null, 'USD')],
  ['JP', market(null, 'JPY')],
  ['KS', market(null, 'KRW')],
  ['IN', market(null, 'INR')],
  ['AU', market(null, 'AUD')],
  ['BZ', market(null, 'BRL')],
  ['CN', market(null, null)],
  ['GR', market(null, null)],
  ['SW', market(null, null)],
  ['NO', market(null, null)],
  // Composites of a country with one venue.
  ['LN', market('XLON', null)],
  ['FP', market('XPAR', null)],
  ['NA', market('XAMS', null)],
  ['BB', market('XBRU', null)],
  ['PL', market('XLIS', null)],
  ['ID', market('XDUB', null)],
  ['AV', market('XWBO', null)],
  ['HK', market('XHKG', null)],
  ['SP', market('XSES', null)],
  ['NZ', market('XNZE', 'NZD')],
  ['IT', market('XTAE', null)],
  ['AB', market('XSAU', 'SAR')],
  ['TB', market('XBKK', 'THB')],
  ['IJ', market('XIDX', 'IDR')],
  // Venues.
  ['UN', market('XNYS', 'USD')],
  ['UA', market('XASE', 'USD')],
  ['UP', market('ARCX', 'USD')],
  ['UW', market('XNGS', 'USD')],
  ['UQ', market('XNMS', 'USD')],
  ['UR', market('XNCM', 'USD')],
  ['UF', market('BATS', 'USD')],
  ['UV', market('OOTC', 'USD')],
  ['GY', market('XETR', null)],
  ['GF', market('XFRA', null)],
  ['JT', market('XTKS', 'JPY')],
  ['AT', market('XASX', 'AUD')],
  ['IS', market('XNSE', 'INR')],
  ['IB', market('XBOM', 'INR')],
  ['CT', market('XTSE', null)],
  ['SE', market('XSWX', null)],
])
