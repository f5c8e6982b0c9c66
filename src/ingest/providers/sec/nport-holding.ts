import type { DecimalText } from '../../../core/decimal.js'
import type { AssetCategory, EtfHolding } from '../../../domains/etf/model.js'
import { toCountryCode } from '../../bodies/countries/country-names.js'
import { readHoldingIdentifiers, textOrNull, toTicker } from '../../bodies/etf/holding-identifiers.js'
import { toPrintableName } from '../../bodies/local-text.js'
import { named, type Read, readAll, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'

/** Codes of N-PORT, item C.4. */
const CATEGORIES: Readonly<Record<string, AssetCategory>> = {
  EC: 'equity',
  EP: 'preferred',
  DBT: 'debt',
  STIV: 'short_term',
  RA: 'repurchase',
  LON: 'loan',
  SN: 'structured',
  'ABS-MBS': 'asset_backed',
  'ABS-APCP': 'asset_backed',
  'ABS-CBDO': 'asset_backed',
  'ABS-O': 'asset_backed',
  COMM: 'commodity',
  RE: 'real_estate',
  DCO: 'derivative',
  DCR: 'derivative',
  DE: 'derivative',
  DFE: 'derivative',
  DIR: 'derivative',
  DO: 'derivative',
}

/** The used elements and attributes of `invstOrSec`. */
export interface NportSecurity {
  name?: string
  title?: string
  lei?: string
  isin?: string
  ticker?: string
  balance?: string
  units?: string
  valUSD?: string
  pctVal?: string
  assetCat?: string
  invCountry?: string
}

/** Units of shares; others are principal amounts and contracts. */
const SHARES = 'NS'

/** Converts a security to a holding; percentages become fractions, and `N/A` becomes null. */
export function readSecurity(security: NportSecurity): Read<EtfHolding> {
  const figures = readAll({
    weight: named('pctVal:', readDecimal(security.pctVal ?? '', -2)),
    marketValueUsd: named('valUSD:', readOptional(security.valUSD)),
    balance: named('balance:', readOptional(security.balance)),
  })
  const { isin, lei, ticker } = security
  const category = textOrNull(security.assetCat)
  return readOn(figures, ({ balance, ...amounts }) => ({
    value: {
      name: nameOfSecurity(security),
      ticker: toTicker(ticker),
      mic: null,
      ...readHoldingIdentifiers({ isin: isin ?? null, lei: lei ?? null }),
      ...amounts,
      shares: security.units === SHARES ? balance : null,
      assetCategory: category === null ? null : (CATEGORIES[category] ?? 'other'),
      country: toCountryCode(textOrNull(security.invCountry)),
    },
  }))
}

function readOptional(text: string | undefined): Read<DecimalText | null> {
  const there = textOrNull(text)
  return there === null ? { value: null } : readDecimal(there)
}

/** The issuer, or else the title or an identifier, because filers may leave out any of them. */
export function nameOfSecurity({ name, title, isin, ticker }: NportSecurity): string {
  for (const text of [name, title, isin, ticker]) {
    const there = textOrNull(toPrintableName(text ?? ''))
    if (there !== null) return there
  }
  return 'not named'
}
