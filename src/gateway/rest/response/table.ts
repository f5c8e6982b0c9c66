import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql'
import type { FileColumn } from '../../../platform/columnar/columns.js'
import type { Paging, TableSpec } from '../../../schema-kit/endpoint.js'
import { rowColumns } from './row-columns.js'

/** A row of the execution result: values by field name. */
export type Row = Readonly<Record<string, unknown>>

/** Locates and names the rows of a response. Compiled once at start. */
export interface Table {
  /** The root field, which gives an exported file its name. */
  readonly operation: string
  /** Path from the body to the list of rows. */
  readonly path: readonly string[]
  /** Path to the number of rows on all pages; null if the list contains all rows. */
  readonly totalPath: readonly string[] | null
  readonly paging: Paging | null
  /** Type of a row. Its fields, in order, are the columns. */
  readonly row: GraphQLObjectType
  readonly columns: readonly string[]
  readonly fileColumns: readonly FileColumn[]
  /** Estimate of the bytes of a row as JSON. */
  readonly rowBytes: number
  /** Arguments that distinguish files: texts and flags, not bounds, which the rows show. */
  readonly naming: readonly NamingArgument[]
}

/** An argument and, for an enum, the REST text of each value. */
interface NamingArgument {
  readonly name: string
  readonly texts: ReadonlyMap<string, string>
}

/** Throws for a dotted path that does not lead to a list of objects or to an existing member. */
export function compileTable(
  field: GraphQLField<unknown, unknown>,
  { rows, total, paging }: TableSpec,
): Table {
  const path = rows.split('.')
  const totalPath = total === undefined ? null : total.split('.')
  const list = getNullableType(typeAt(field, path))
  const row = isListType(list) ? getNullableType(list.ofType) : null
  if (!isObjectType(row)) throw new Error(`The rows of ${field.name} are not a list of objects: ${rows}`)
  if (totalPath !== null) typeAt(field, totalPath)
  const columns = Object.keys(row.getFields())
  const naming = field.args.filter(({ type }) => {
    const named = getNamedType(type)
    return isEnumType(named) || ['String', 'ID', 'Boolean'].includes(named.name)
  })
  return {
    operation: field.name,
    path,
    totalPath,
    paging: paging ?? null,
    row,
    columns,
    fileColumns: rowColumns(row),
    rowBytes: valueBytes(row),
    naming: naming
      .map(({ name, type }) => ({ name, texts: textsOf(getNamedType(type)) }))
      .filter(({ name }) => name !== 'cursor'),
  }
}

/** Bytes of common values as JSON, by scalar; a test compares them with the rows of all operations. */
const SCALAR_BYTES: Readonly<Record<string, number>> = {
  ...{ Boolean: 5, Int: 5, BigInt: 8, Float: 12, Date: 12, DateTime: 26, UUID: 38, URL: 60, JSONObject: 400 },
}
const TEXT_BYTES = 20

/** Quotes of the name, colon and comma. */
const MEMBER_BYTES = 4

function valueBytes(type: GraphQLOutputType): number {
  const value = getNullableType(type)
  // Lists of objects are mostly short or empty.
  if (isListType(value)) return isObjectType(getNamedType(value)) ? 2 : valueBytes(value.ofType) + 2
  if (!isObjectType(value)) return SCALAR_BYTES[value.name] ?? TEXT_BYTES
  const fields = Object.values(value.getFields())
  return fields.reduce((bytes, field) => bytes + field.name.length + MEMBER_BYTES + valueBytes(field.type), 2)
}

function textsOf(type: GraphQLNamedType): ReadonlyMap<string, string> {
  return new Map(isEnumType(type) ? type.getValues().map(({ name, value }) => [name, String(value)]) : [])
}

function typeAt(field: GraphQLField<unknown, unknown>, path: readonly string[]): GraphQLOutputType {
  return path.reduce((type, name) => memberType(field, type, name), field.type)
}

function memberType(field: GraphQLField<unknown, unknown>, type: GraphQLOutputType, name: string) {
  const parent = getNullableType(type)
  const member = isObjectType(parent) ? parent.getFields()[name] : undefined
  if (!member) throw new Error(`The response of ${field.name} has no member ${name}.`)
  return member.type
}

/** The rows of a body. */
export function rowsOf({ operation, path }: Table, data: unknown): readonly Row[] {
  const rows = path.reduce(memberOf, data)
  // The schema guarantees that the elements are objects.
  if (Array.isArray(rows)) return rows as readonly Row[]
  throw new Error(`${operation} returned no list at ${path.join('.')}.`)
}

/** Number of rows on all pages; null if the response does not contain it. */
export function totalOf(table: Table, data: unknown): number | null {
  if (table.totalPath === null) return rowsOf(table, data).length
  const total = table.totalPath.reduce(memberOf, data)
  return typeof total === 'number' ? total : null
}

/** A member of a value; null if the value is no object or lacks the member. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? ((value as Row)[name] ?? null) : null
}
