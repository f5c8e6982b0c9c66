import { buildSymbols } from '../../../core/consensus/venue-symbols.js'
import {
  type InstrumentFacts,
  NOTHING_STATED,
  type TokenContract,
} from '../../../domains/instruments/model.js'
import COMMODITY_ROWS from './commodities.json' with { type: 'json' }
import CONTRACTS from './contracts.json' with { type: 'json' }
import CRYPTO_ROWS from './crypto.json' with { type: 'json' }
import ETF_ROWS from './etfs.json' with { type: 'json' }
import FORMER_TICKERS from './former-tickers.json' with { type: 'json' }
import { ReferenceAsset } from './instrument-facts.js'
import STOCK_ROWS from './stocks.json' with { type: 'json' }

/** The 60 crypto assets, 20 per tier. */
export const CRYPTO_ASSETS = toInstruments(
  'crypto',
  CRYPTO_ROWS.map((row) => ({ ...row, contract: contractOf(row.slug), symbols: buildSymbols(row.ticker) })),
)

/**
 * The 60 stocks with their primary listing. Foreign issuers that also file with the SEC have no CIK here. An LEI that was not
 * verified is null. A former ticker has the first day of its successor.
 */
export const STOCKS = toInstruments(
  'stock',
  STOCK_ROWS.map((row) => ({ ...row, ...formerTickersOf(row.slug) })),
)

/** The 20 ETFs, five of them Shariah-compliant. The line of a UCITS fund is that of its named market. */
export const ETFS = toInstruments('etf', ETF_ROWS)

/**
 * The 8 commodities, quoted in USD. Precious metals have their ISO 4217 spot code and no single market; the others have the root
 * of their futures.
 */
export const COMMODITIES = toInstruments('commodity', COMMODITY_ROWS)

/** The assets that ship with the gateway, 60 crypto assets first, as JSON with the same bytes each time. */
export function instrumentsBody(): Uint8Array {
  const facts = [...CRYPTO_ASSETS, ...STOCKS, ...ETFS, ...COMMODITIES]
  return new TextEncoder().encode(JSON.stringify(facts))
}

/**
 * The contract of a token of the reference; null without one. All units of a listed token exist on one contract; copies on other
 * chains are backed by units that are locked there. Not included are tokens that are issued on several chains (Tether, USDC),
 * that moved to another chain (Render, Enjin Coin) or that are the coin of their own chain. Addresses are written in EIP-55 form,
 * which a test checks.
 */
export function contractOf(slug: string): TokenContract | null {
  const contract = CONTRACTS.find((known) => known.slug === slug)
  if (contract === undefined) return null
  return { chainId: contract.chainId, address: contract.address.toLowerCase() }
}

function formerTickersOf(slug: string) {
  const tickers = FORMER_TICKERS.filter((known) => known.slug === slug)
  return tickers.length === 0 ? {} : { formerTickers: tickers.map(({ ticker, to }) => ({ ticker, to })) }
}

/** Throws ZodError for a row with a wrong value. */
function toInstruments(
  assetClass: InstrumentFacts['assetClass'],
  rows: readonly object[],
): readonly InstrumentFacts[] {
  return rows.map((row) => ReferenceAsset.parse({ ...NOTHING_STATED, ...row, assetClass }))
}
