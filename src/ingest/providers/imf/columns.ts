import COLUMNS from './columns.json' with { type: 'json' }

/** A column of the IMF's table: the commodity, and the power of ten that converts its figures to USD. */
interface ImfColumn {
  readonly symbol: string
  readonly exponent: number
}

/** The price columns by heading. Beef, coffee, sugar and others are published in US cents: their exponent is -2. */
export const IMF_COLUMNS: ReadonlyMap<string, ImfColumn> = new Map(
  COLUMNS.map(({ column, symbol, exponent }) => [column, { symbol, exponent }]),
)

/** Columns with index numbers, which are not prices. */
export function isImfIndex(column: string): boolean {
  // The heading of the crude oil index does not say that it is an index.
  return column.endsWith('Index') || column === 'Crude Oil petroleum'
}
