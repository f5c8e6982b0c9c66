import { type BarVenue, explainVenueSymbol } from '../../../core/consensus/venue-symbols.js'
import {
  explainCik,
  explainCurrencyCode,
  explainEvmAddress,
  explainFigi,
  explainIsin,
  explainLei,
  explainMic,
  explainTicker,
  parseCik,
  parseCurrencyCode,
  parseEvmAddress,
  parseFigi,
  parseIsin,
  parseLei,
  parseMic,
  parseTicker,
} from '../../../core/identifiers.js'
import { suggest } from '../../../core/suggest.js'
import { ASSET_CLASSES, type AssetClass } from '../../../domains/assets/model.js'
import { GICS_SECTORS, type InstrumentFacts } from '../../../domains/instruments/model.js'
import { type Read, readOn } from '../../bodies/read.js'
import { quoted } from '../../feed.js'

const MAX_NAME_LENGTH = 200

/** The currencies of ISO 4217 that the runtime knows. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

export type CellReader<Value> = (cell: string) => Read<Value>

function identifierCell(
  parse: (text: string) => string | null,
  explain: (text: string) => string | null,
): CellReader<string> {
  return (cell) => {
    const value = parse(cell)
    return value === null ? { wrong: `${quoted(cell)} ${explain(cell)}` } : { value }
  }
}

function optional<Value>(read: CellReader<Value>): CellReader<Value | null> {
  return (cell) => (cell === '' ? { value: null } : read(cell))
}

export function cellOneOf<const Value extends string>(values: readonly Value[]): CellReader<Value> {
  return (cell) => {
    const value = values.find((known) => known === cell)
    if (value !== undefined) return { value }
    const likely = suggest(cell, values)
    const hint = likely === null ? `known are ${values.join(', ')}` : `did you mean ${likely}?`
    return { wrong: `${quoted(cell)} is unknown; ${hint}` }
  }
}

/** The largest key that fits the database's column. */
const MAX_INTEGER = 2 ** 31 - 1

export const integerCell: CellReader<number> = (cell) => {
  const isInteger = /^[1-9]\d{0,9}$/.test(cell) && Number(cell) <= MAX_INTEGER
  return isInteger
    ? { value: Number(cell) }
    : { wrong: `${quoted(cell)} must be a whole number from 1 to ${MAX_INTEGER}` }
}

const tierCell: CellReader<1 | 2 | 3> = (cell) => {
  const tier = ([1, 2, 3] as const).find((known) => String(known) === cell)
  return tier === undefined ? { wrong: `${quoted(cell)} must be 1, 2 or 3` } : { value: tier }
}

const nameCell: CellReader<string> = (cell) => {
  if (cell === '') return { wrong: 'must not be empty' }
  if (cell.length > MAX_NAME_LENGTH) return { wrong: `has more than ${MAX_NAME_LENGTH} characters` }
  return /\p{Cc}/u.test(cell) ? { wrong: 'has a control character' } : { value: cell }
}

const currencyCell: CellReader<string> = (cell) => {
  const code = identifierCell(parseCurrencyCode, explainCurrencyCode)(cell)
  return readOn(code, (value) =>
    CURRENCIES.has(value) ? { value } : { wrong: `${quoted(cell)} is not a currency of ISO 4217` },
  )
}

const symbolCell =
  (venue: BarVenue): CellReader<string> =>
  (cell) => {
    const wrong = explainVenueSymbol(venue, cell)
    return wrong === null ? { value: cell } : { wrong: `${quoted(cell)} ${wrong}` }
  }

/** The columns of an asset except its keys. Each parses its cell, also an empty one. */
export const INSTRUMENT_CELLS: {
  readonly [Column in keyof InstrumentColumns]: CellReader<InstrumentColumns[Column]>
} = {
  ticker: identifierCell(parseTicker, explainTicker),
  name: nameCell,
  asset_class: cellOneOf(ASSET_CLASSES),
  tier: optional(tierCell),
  mic: optional(identifierCell(parseMic, explainMic)),
  isin: optional(identifierCell(parseIsin, explainIsin)),
  figi: optional(identifierCell(parseFigi, explainFigi)),
  currency: currencyCell,
  sector_gics: optional(cellOneOf(GICS_SECTORS)),
  cik: optional(identifierCell(parseCik, explainCik)),
  chain_id: optional(integerCell),
  contract: optional(identifierCell(parseEvmAddress, explainEvmAddress)),
  lei: optional(identifierCell(parseLei, explainLei)),
  symbol_binance: optional(symbolCell('binance')),
  symbol_bitstamp: optional(symbolCell('bitstamp')),
  symbol_coinbase: optional(symbolCell('coinbase')),
  symbol_kraken: optional(symbolCell('kraken')),
  symbol_okx: optional(symbolCell('okx')),
}

type SameColumns = 'ticker' | 'name' | 'tier' | 'mic' | 'isin' | 'figi' | 'currency' | 'cik' | 'lei'

/** Symbol of the asset at each venue; null if the venue is not used for it. */
export type SymbolColumns = { readonly [Venue in BarVenue as `symbol_${Venue}`]: string | null }

/** The parsed columns of an asset except its keys. */
export interface InstrumentColumns extends Pick<InstrumentFacts, SameColumns>, SymbolColumns {
  readonly asset_class: AssetClass
  readonly sector_gics: string | null
  readonly chain_id: number | null
  readonly contract: string | null
}
