import { withoutTrailing } from '../../core/without-trailing.js'
/** A row: values by column. */
export type ColumnarRow = Readonly<Record<string, unknown>>

/**
 * `number` is a double, `decimal` has up to 38 digits, `timestamp` is in milliseconds and UTC. `json` is the text of an
 * object, or of a list of objects.
 */
export type CellType = 'boolean' | 'integer' | 'number' | 'decimal' | 'date' | 'timestamp' | 'text' | 'json'

/** A column of a columnar file. Each can be null. */
export interface FileColumn {
  readonly name: string
  /** Type of a cell, or of an element of its list. */
  readonly type: CellType
  /** Digits after the point of a decimal; 0 by default. */
  readonly scale?: number
  readonly isList?: boolean
}

/** A cell as both formats take it: a Date for `date` and `timestamp`, the digits without the point for `decimal`. */
type Cell = boolean | number | bigint | string | Date

/** The largest number of digits of a decimal. */
export const DECIMAL_DIGITS = 38

/** The cells of one column. Null is a missing value. Throws for a decimal that the column cannot hold exactly. */
export function cellsOf(
  { name, type, scale = 0, isList = false }: FileColumn,
  rows: readonly ColumnarRow[],
): (Cell | readonly (Cell | null)[] | null)[] {
  const read = type === 'decimal' ? (value: unknown) => unscaled(String(value), scale, name) : READERS[type]
  const cell = (value: unknown) => (value === null || value === undefined ? null : read(value))
  if (!isList) return rows.map((row) => cell(row[name]))
  return rows.map((row) => {
    const values = row[name]
    return Array.isArray(values) ? values.map(cell) : null
  })
}

const READERS: Readonly<Record<Exclude<CellType, 'decimal'>, (value: unknown) => Cell>> = {
  boolean: Boolean,
  integer: Number,
  number: Number,
  date: toDate,
  timestamp: toDate,
  text: String,
  json: (value) => JSON.stringify(value),
}

function toDate(value: unknown): Date {
  return value instanceof Date ? value : new Date(String(value))
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?$/

function unscaled(text: string, scale: number, column: string): bigint {
  const [, sign, whole = '', decimals = ''] = DECIMAL.exec(text) ?? []
  const fraction = withoutTrailing(decimals, '0')
  if (sign === undefined || fraction.length > scale)
    throw new RangeError(
      `${column}: ${text.slice(0, 60)} has no exact decimal with ${scale} digits after the point`,
    )
  const digits = BigInt(whole + fraction.padEnd(scale, '0'))
  if (String(digits).length > DECIMAL_DIGITS)
    throw new RangeError(`${column}: ${text.slice(0, 60)} has more than ${DECIMAL_DIGITS} digits`)
  return sign === '-' ? -digits : digits
}
