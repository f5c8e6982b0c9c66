/** PostgreSQL types of columns, and the values that sql-values.ts reads them as. */
interface ColumnValues {
  bool: boolean
  bytea: Buffer
  int2: number
  int4: number
  int8: number
  float8: number
  timestamptz: Date
  /** YYYY-MM-DD. */
  date: string
  numeric: string
  text: string
  varchar: string
  bpchar: string
  name: string
  uuid: string
  _text: readonly string[]
  _int2: readonly number[]
  _int4: readonly number[]
  _float8: readonly number[]
}

/** A column of a narrower type, such as an enum or JSON: see `column`. */
interface Column<Value> {
  readonly type: string
  /** Never set: carries the type. */
  readonly value?: Value
}

type ColumnType = keyof ColumnValues | `${keyof ColumnValues}?` | Column<unknown>

/** Columns of rows by name, in any order. A question mark behind the type: may be null. */
export type ColumnTable = Readonly<Record<string, ColumnType>>

type ValueOf<Type> =
  Type extends Column<infer Value>
    ? Value
    : Type extends `${infer Name extends keyof ColumnValues}?`
      ? ColumnValues[Name] | null
      : Type extends keyof ColumnValues
        ? ColumnValues[Type]
        : never

export type RowOf<Table extends ColumnTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

/** A column whose values are narrower than its PostgreSQL type says; `jsonb?`: may be null, as `Value` then says. */
export function column<Value>(type: string): Column<Value> {
  return { type }
}

/** The columns of an outer-joined relation: all may be null. */
export type OrNull<Table extends ColumnTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Column<infer Value>
    ? Column<Value | null>
    : Table[Name] extends keyof ColumnValues
      ? `${Table[Name]}?`
      : Table[Name]
}

export function orNull<const Table extends ColumnTable>(columns: Table): OrNull<Table> {
  const nullable = (type: string) => (type.endsWith('?') ? type : `${type}?`)
  const changed = Object.entries(columns).map(([name, type]) => [
    name,
    typeof type === 'string' ? nullable(type) : column(nullable(type.type)),
  ])
  return Object.fromEntries(changed) as OrNull<Table> // each column as the type above says
}

declare const ROW: unique symbol

/** The text of a statement with the type of its rows. Only `statement` and `statements` create it. */
export type Statement<Row> = string & { readonly [ROW]: Row }

/** The rows of a statement. */
export type RowIn<Declared> = Declared extends Statement<infer Row> ? Row : never

export interface DeclaredStatement {
  readonly sql: string
  readonly columns: ColumnTable
}

const declared = new Map<string, DeclaredStatement>()

/** Far more than the code has. The limit detects statements that are declared at each run, which would fill the memory. */
const MAX_STATEMENTS = 1_000

/** Declares a statement and its columns, once, at the top of a module. A test compares them with what PostgreSQL prepares. */
export function statement<const Table extends ColumnTable>(
  columns: Table,
  sql: string,
): Statement<RowOf<Table>> {
  const known = declared.get(sql)
  if (known === undefined && declared.size >= MAX_STATEMENTS)
    throw new Error('too many statements are declared; declare each once, at the top of a module')
  if (known !== undefined && JSON.stringify(known.columns) !== JSON.stringify(columns))
    throw new Error(`a statement is declared twice, with different columns: ${sql}`)
  declared.set(sql, { sql, columns })
  return sql as Statement<RowOf<Table>> // its declaration is what a test compares
}

/** Statements with the same columns whose text depends on the request, such as its conditions; the test uses the example. */
export function statements<const Table extends ColumnTable, Args extends readonly unknown[]>(
  columns: Table,
  textOf: (...args: Args) => string,
  ...example: Args
): (...args: Args) => Statement<RowOf<Table>> {
  statement(columns, textOf(...example))
  return textOf as (...args: Args) => Statement<RowOf<Table>> // of one shape with the example
}

/** The statements that all loaded modules have declared. */
export function declaredStatements(): readonly DeclaredStatement[] {
  return [...declared.values()]
}

/** The columns as a select list, from a relation whose columns have the same names in snake case. */
export function selectList(columns: ColumnTable, relation: string): string {
  return Object.keys(columns)
    .map((name) => `${relation}.${snakeCase(name)} as "${name}"`)
    .join(', ')
}

/** The name of a column in SQL. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
