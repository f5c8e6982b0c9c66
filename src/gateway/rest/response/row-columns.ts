import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql'
import type { CellType, FileColumn } from '../../../platform/columnar/columns.js'

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

/** The columns of a row type in a columnar file, in the order of its fields. */
export function rowColumns(row: GraphQLObjectType): readonly FileColumn[] {
  return Object.values(row.getFields()).map(({ name, type }) => ({ name, ...columnType(type) }))
}

function columnType(type: GraphQLOutputType): Pick<FileColumn, 'type' | 'isList'> {
  const value = getNullableType(type)
  const element = isListType(value) ? getNullableType(value.ofType) : value
  if (!isLeafType(element)) return { type: 'json' }
  // Enums, UUIDs and URLs are texts.
  return { type: TYPES[element.name] ?? 'text', isList: isListType(value) }
}
