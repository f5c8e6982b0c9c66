import { decimal, decimalText } from '../../../core/decimal.js'
import { suggest } from '../../../core/suggest.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { type Read, readAll } from '../../bodies/read.js'
import { type Feed, quoted } from '../../feed.js'
import { operator } from '../providers.js'
import { keyedLines } from './keyed-lines.js'
import type { TableRow } from './table.js'

const COLUMNS = {
  known: ['slug', 'supply', 'observed_at', 'methodology'],
  required: ['slug', 'supply'],
} as const

const MAX_METHODOLOGY_LENGTH = 500

/** Digits that the database's column certainly holds. */
const MAX_INTEGER_DIGITS = 30
const MAX_DECIMALS = 30

/** The columns of the file and their meaning, for the help text. */
export const SUPPLIES_FILE_HELP = [
  'header: slug and supply (units, a decimal above zero), and optionally observed_at (a day or an instant in UTC, by',
  'default now) and methodology (how it was counted); crypto assets only',
  'the file takes precedence over every later run of other sources; a line with an empty supply withdraws it',
] as const

/** A supply of the operator, or its withdrawal. */
export interface OwnSupply extends Omit<SupplyRow, 'supply'> {
  /** Null withdraws the earlier figure. */
  readonly supply: string | null
}

/** The members of an asset that a supply needs. */
export interface CountedAsset {
  readonly assetId: number
  readonly slug: string
  readonly assetClass: AssetClass
}

/** The operator's table of supplies. */
export function suppliesFile(assets: readonly CountedAsset[]): Feed<OwnSupply> {
  const bySlug = new Map(assets.map((asset) => [asset.slug, asset]))
  return {
    id: 'supplies',
    provider: operator,
    dataset: 'supply',
    description: 'Units of crypto assets as you know them, from a CSV file',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
    parse: (body, context) =>
      keyedLines(body, context, {
        columns: COLUMNS,
        nameColumn: 'slug',
        read: (row) => readRow(row, bySlug, context.now),
        keyOf: ({ assetId }) => String(assetId),
      }),
  }
}

function readRow(row: TableRow, bySlug: ReadonlyMap<string, CountedAsset>, now: Date): Read<OwnSupply> {
  const slug = row.cell('slug') ?? ''
  const asset = bySlug.get(slug)
  if (asset === undefined) {
    const likely = suggest(slug, [...bySlug.keys()])
    return {
      wrong: `asset ${quoted(slug)} does not exist${likely === null ? '' : `; did you mean ${likely}?`}`,
    }
  }
  if (asset.assetClass !== 'crypto') return { wrong: `${slug} is not a crypto asset` }
  return readAll({
    assetId: { value: asset.assetId },
    supply: readSupply(row.cell('supply') ?? ''),
    observedAt: readObservedAt(row.cell('observed_at') ?? '', now),
    methodology: readMethodology(row.cell('methodology') ?? ''),
  })
}

function readSupply(cell: string): Read<string | null> {
  if (cell === '') return { value: null }
  const wrong = {
    wrong: `supply ${quoted(cell)} must be a decimal above zero with at most 30 digits, without separators`,
  }
  if (!/^\d+(\.\d+)?$/.test(cell)) return wrong
  try {
    const supply = decimal(cell)
    return supply.gt(0) && supply.e < MAX_INTEGER_DIGITS && supply.decimalPlaces() <= MAX_DECIMALS
      ? { value: decimalText(supply) }
      : wrong
  } catch (error) {
    if (error instanceof RangeError) return wrong
    throw error
  }
}

function readObservedAt(cell: string, now: Date): Read<Date> {
  if (cell === '') return { value: now }
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(cell)
  const instant = new Date(cell)
  // An invalid day, such as 30 February, would be parsed as another one.
  if (!isIso || Number.isNaN(instant.getTime()) || instant.toISOString().slice(0, 10) !== cell.slice(0, 10)) {
    return { wrong: `observed_at ${quoted(cell)} must be a day or an instant such as 2026-11-20T12:00Z` }
  }
  if (instant > now) return { wrong: `observed_at ${quoted(cell)} is in the future` }
  return { value: instant }
}

function readMethodology(cell: string): Read<string> {
  if (cell === '') return { value: 'As given by the operator of this gateway.' }
  const isText = cell.length <= MAX_METHODOLOGY_LENGTH && !/\p{Cc}/u.test(cell)
  return isText
    ? { value: cell }
    : { wrong: `methodology must have at most ${MAX_METHODOLOGY_LENGTH} characters and no control character` }
}
