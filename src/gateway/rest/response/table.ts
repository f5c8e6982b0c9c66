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
import type { Paging, TableSpec } from '../../../schema-kit/endpoint.js'

/** A row as the execution gave it: values by field name. */
export type Row = Readonly<Record<string, unknown>>

/** Where the rows of an answer lie and what they are called, worked out once. */
export interface Table {
  /** The root field; an exported file is named after it. */
  readonly operation: string
  /** Members that lead from the body to the list of rows. */
  readonly path: readonly string[]
  /** Members that lead to the number of rows on all pages; null: the list has them all. */
  readonly totalPath: readonly string[] | null
  readonly paging: Paging | null
  /** Type of a row: its fields, in order, are the columns. */
  readonly row: GraphQLObjectType
  readonly columns: readonly string[]
  /** Arguments that tell one file from another: words and flags, not the bounds, which the rows themselves show. */
  readonly naming: readonly NamingArgument[]
}

/** An argument and, of an enum, the text of each value as REST has it. */
interface NamingArgument {
  readonly name: string
  readonly texts: ReadonlyMap<string, string>
}

/** Throws for a dotted path that does not lead to a list of objects, or to no member. */
export function compileTable(
  field: GraphQLField<unknown, unknown>,
  { rows, total, paging }: TableSpec,
): Table {
  const path = rows.split('.')
  const totalPath = total === undefined ? null : total.split('.')
  const list = getNullableType(typeAt(field, path))
  const row = isListType(list) ? getNullableType(list.ofType) : null
  if (!isObjectType(row)) throw new Error(`the rows of ${field.name} are no list of objects: ${rows}`)
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
    naming: naming
      .map(({ name, type }) => ({ name, texts: textsOf(getNamedType(type)) }))
      .filter(({ name }) => name !== 'cursor'),
  }
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
  if (!member) throw new Error(`the answer of ${field.name} has no member ${name}`)
  return member.type
}

/** The rows of a body. */
export function rowsOf({ operation, path }: Table, data: unknown): readonly Row[] {
  const rows = path.reduce(memberOf, data)
  // The schema says that they are objects; graphql made them.
  if (Array.isArray(rows)) return rows as readonly Row[]
  throw new Error(`${operation} answered no list at ${path.join('.')}`)
}

/** Rows on all pages; null where the answer does not say. */
export function totalOf(table: Table, data: unknown): number | null {
  if (table.totalPath === null) return rowsOf(table, data).length
  const total = table.totalPath.reduce(memberOf, data)
  return typeof total === 'number' ? total : null
}

/** A member of what may be an object; null where it is missing. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? ((value as Row)[name] ?? null) : null
}
