import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql'

/** A row of the execution result: values by field name. */
export type ColumnarRow = Readonly<Record<string, unknown>>

/**
 * `number` is a double, `decimal` a whole number of up to 38 digits, `timestamp` milliseconds in UTC. `json` is the text of
 * an object, or of a list of objects.
 */
export type CellType = 'boolean' | 'integer' | 'number' | 'decimal' | 'date' | 'timestamp' | 'text' | 'json'

/** A column of a columnar file. Each can be null. */
export interface Column {
  readonly name: string
  /** Type of a cell, or of an element of its list. */
  readonly type: CellType
  readonly isList: boolean
}

/** A cell as both formats take it: a Date for `date` and `timestamp`. */
export type Cell = boolean | number | bigint | string | Date

const TYPES: Readonly<Record<string, CellType>> = {
  Boolean: 'boolean',
  Int: 'integer',
  Float: 'number',
  BigInt: 'decimal',
  Date: 'date',
  DateTime: 'timestamp',
  JSON: 'json',
  JSONObject: 'json',
}

/** The columns of a row type, in the order of its fields. */
export function columnsOf(row: GraphQLObjectType): readonly Column[] {
  return Object.values(row.getFields()).map(({ name, type }) => ({ name, ...columnType(type) }))
}

function columnType(type: GraphQLOutputType): Pick<Column, 'type' | 'isList'> {
  const value = getNullableType(type)
  const element = isListType(value) ? getNullableType(value.ofType) : value
  if (!isLeafType(element)) return { type: 'json', isList: false }
  // Enums, UUIDs and URLs are texts.
  return { type: TYPES[element.name] ?? 'text', isList: isListType(value) }
}

/** The cells of one column. Null is a missing value. */
export function cellsOf(
  { name, type, isList }: Column,
  rows: readonly ColumnarRow[],
): (Cell | readonly (Cell | null)[] | null)[] {
  const read = READERS[type]
  const cell = (value: unknown) => (value === null || value === undefined ? null : read(value))
  if (!isList) return rows.map((row) => cell(row[name]))
  return rows.map((row) => {
    const values = row[name]
    return Array.isArray(values) ? values.map(cell) : null
  })
}

const READERS: Readonly<Record<CellType, (value: unknown) => Cell>> = {
  boolean: Boolean,
  integer: Number,
  number: Number,
  decimal: (value) => BigInt(String(value)),
  date: toDate,
  timestamp: toDate,
  text: String,
  json: (value) => JSON.stringify(value),
}

function toDate(value: unknown): Date {
  return value instanceof Date ? value : new Date(String(value))
}
