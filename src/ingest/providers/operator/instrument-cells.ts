import { explainVenueSymbol, type Venue } from '../../../core/consensus/venue-symbols.js'
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
import { ASSET_CLASSES } from '../../../domains/assets/model.js'
import { GICS_SECTORS, type InstrumentFacts } from '../../../domains/instruments/model.js'
import { type Read, readOn } from '../../bodies/read.js'
import { quoted } from '../../feed.js'
import { cellOneOf, type OwnColumn, optional, ownColumn, parsedCell } from './columns.js'

const MAX_NAME_LENGTH = 200

/** The currencies of ISO 4217 that the runtime knows. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The largest key that fits the database's column. */
const MAX_INTEGER = 2 ** 31 - 1

export function integerCell(cell: string): Read<number> {
  const isInteger = /^[1-9]\d{0,9}$/.test(cell) && Number(cell) <= MAX_INTEGER
  return isInteger
    ? { value: Number(cell) }
    : { wrong: `${quoted(cell)} must be a whole number from 1 to ${MAX_INTEGER}` }
}

function tierCell(cell: string): Read<1 | 2 | 3> {
  const tier = ([1, 2, 3] as const).find((known) => String(known) === cell)
  return tier === undefined ? { wrong: `${quoted(cell)} must be 1, 2 or 3` } : { value: tier }
}

function nameCell(cell: string): Read<string> {
  if (cell === '') return { wrong: 'must not be empty' }
  if (cell.length > MAX_NAME_LENGTH) return { wrong: `has more than ${MAX_NAME_LENGTH} characters` }
  return /\p{Cc}/u.test(cell) ? { wrong: 'has a control character' } : { value: cell }
}

export function currencyCell(cell: string): Read<string> {
  return readOn(parsedCell(parseCurrencyCode, explainCurrencyCode)(cell), (value) =>
    CURRENCIES.has(value) ? { value } : { wrong: `${quoted(cell)} is not a currency of ISO 4217` },
  )
}

/** The columns of the file except its keys and the symbols. */
export const INSTRUMENT_COLUMNS = {
  ticker: ownColumn('ticker', '', parsedCell(parseTicker, explainTicker)),
  name: ownColumn('name', '', nameCell),
  assetClass: ownColumn('asset_class', ASSET_CLASSES.join(', '), cellOneOf(ASSET_CLASSES)),
  tier: ownColumn('tier', '1 to 3, crypto only', optional(tierCell)),
  mic: ownColumn('mic', '', optional(parsedCell(parseMic, explainMic))),
  isin: ownColumn('isin', '', optional(parsedCell(parseIsin, explainIsin))),
  figi: ownColumn('figi', '', optional(parsedCell(parseFigi, explainFigi))),
  currency: ownColumn('currency', '', currencyCell),
  sectorGics: ownColumn('sector_gics', 'stocks only', optional(cellOneOf(GICS_SECTORS))),
  cik: ownColumn('cik', '', optional(parsedCell(parseCik, explainCik))),
  chainId: ownColumn('chain_id', '', optional(integerCell)),
  contractAddress: ownColumn(
    'contract',
    'EVM token on chain_id that counts all units',
    optional(parsedCell(parseEvmAddress, explainEvmAddress)),
  ),
  lei: ownColumn('lei', '', optional(parsedCell(parseLei, explainLei))),
} as const

type StatedMember = Extract<keyof typeof INSTRUMENT_COLUMNS, keyof InstrumentFacts>

/** The values of one line except its keys and its symbols. */
export interface InstrumentColumns extends Pick<InstrumentFacts, StatedMember> {
  readonly chainId: number | null
  readonly contractAddress: string | null
}

/** The symbol of the asset at each venue; null if the venue is not used for it. */
export const SYMBOL_COLUMNS: Readonly<Record<Venue, OwnColumn<string | null>>> = {
  binance: symbolColumn('binance'),
  bitstamp: symbolColumn('bitstamp'),
  coinbase: symbolColumn('coinbase'),
  kraken: symbolColumn('kraken'),
  okx: symbolColumn('okx'),
}

function symbolColumn(venue: Venue): OwnColumn<string | null> {
  const explain = (cell: string) => explainVenueSymbol(venue, cell)
  const parse = (cell: string) => (explain(cell) === null ? cell : null)
  return ownColumn(`symbol_${venue}`, '', optional(parsedCell(parse, explain)))
}
