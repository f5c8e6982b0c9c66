import { decimal, decimalText } from '../../../core/decimal.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { type Read, readOn } from '../../bodies/read.js'
import { type Feed, quoted } from '../../feed.js'
import { type AssetsBySlug, assetsBySlug, type LineAsset, readCryptoAsset } from './asset-cells.js'
import {
  type OwnColumn,
  optional,
  ownColumn,
  plainTextCell,
  readColumns,
  type TableRow,
  type TableTexts,
} from './columns.js'
import { tableFeed } from './keyed-lines.js'

const MAX_METHODOLOGY_LENGTH = 500

/** Digits that the database's column certainly holds. */
const MAX_INTEGER_DIGITS = 30
const MAX_DECIMALS = 30

const VALUES = {
  supply: ownColumn(
    'supply',
    'units, a decimal above zero; an empty cell withdraws the figure',
    optional(readUnits),
    true,
  ),
  observedAt: ownColumn('observed_at', 'a day or an instant in UTC, by default now', readObservedAt),
  methodology: ownColumn('methodology', 'how it was counted', plainTextCell(MAX_METHODOLOGY_LENGTH)),
}

const COLUMNS = {
  assetId: {
    name: 'slug',
    text: 'of a crypto asset',
    isRequired: true,
    read: (row, bySlug) => readCryptoAsset(row.cell('slug') ?? '', bySlug),
  } satisfies OwnColumn<number, AssetsBySlug>,
  ...VALUES,
}

export const SUPPLIES_TABLE: TableTexts = {
  columns: COLUMNS,
  notes: ['the file takes precedence over every later run of other sources'],
}

/** A supply of the operator, or its withdrawal. */
export interface OwnSupply extends Omit<SupplyRow, 'supply'> {
  /** Null withdraws the earlier figure. */
  readonly supply: string | null
}

/** The operator's table of supplies. */
export function suppliesFile(assets: readonly LineAsset[]): Feed<OwnSupply> {
  const bySlug = assetsBySlug(assets)
  return tableFeed(
    {
      id: 'supplies',
      dataset: 'supply',
      description: 'Units of crypto assets as you know them, from a CSV file',
    },
    {
      columns: COLUMNS,
      nameColumn: 'slug',
      read: (row, now) => readSupply(row, bySlug, now),
      keyOf: ({ assetId }) => String(assetId),
    },
  )
}

function readSupply(row: TableRow, bySlug: AssetsBySlug, now: Date): Read<OwnSupply> {
  return readOn(COLUMNS.assetId.read(row, bySlug), (assetId) =>
    readOn(readColumns(VALUES, row, now), ({ methodology, ...values }) => ({
      value: { assetId, ...values, methodology: methodology ?? 'As given by the operator of this gateway.' },
    })),
  )
}

function readUnits(cell: string): Read<string> {
  const wrong = {
    wrong: `${quoted(cell)} must be a decimal above zero with at most 30 digits, without separators`,
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
    return { wrong: `${quoted(cell)} must be a day or an instant such as 2026-11-20T12:00Z` }
  }
  if (instant > now) return { wrong: `${quoted(cell)} is in the future` }
  return { value: instant }
}
