import type { IsoDate } from '../../core/time.js'

/** PostgreSQL types of columns, and the values that sql-values.ts reads them as. */
interface ColumnValues {
  bool: boolean
  bytea: Buffer
  int2: number
  int4: number
  int8: number
  float8: number
  timestamptz: Date
  date: IsoDate
  jsonb: unknown
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
  _date: readonly IsoDate[]
  _timestamptz: readonly Date[]
  _uuid: readonly string[]
}

/** A type with parameters to which values are rounded or padded. */
type Parameterized = `${'numeric' | 'bpchar'}(${string})`

type TypeName = keyof ColumnValues | Parameterized

/** A column of an enum. A question mark behind the type: may be null. */
interface EnumColumn {
  readonly type: string
  readonly values: readonly string[]
}

/** A column of a narrower type, such as JSON of a known form: see `column`. */
interface Column<Value> {
  readonly type: string
  /** Never set: carries the type. */
  readonly value?: Value
}

export type ColumnType = TypeName | `${TypeName}?` | EnumColumn | Column<unknown>

/** Columns of rows by name, in any order. A question mark behind the type: may be null. */
export type ColumnTable = Readonly<Record<string, ColumnType>>

type ValueOf<Type> = Type extends `${infer Name}?`
  ? NamedValue<Name> | null
  : Type extends string
    ? NamedValue<Type>
    : Type extends EnumColumn
      ? Type['values'][number] | (Type['type'] extends `${string}?` ? null : never)
      : Type extends Column<infer Value>
        ? Value
        : never

type NamedValue<Name extends string> = Name extends keyof ColumnValues
  ? ColumnValues[Name]
  : Name extends Parameterized
    ? string
    : never

export type RowOf<Table extends ColumnTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

/** A column whose values are narrower than its PostgreSQL type says; `jsonb?`: may be null, as `Value` then says. */
export function column<Value>(type: string): Column<Value> {
  return { type }
}

/** The columns of an outer-joined relation: all may be null. */
export type OrNull<Table extends ColumnTable> = {
  readonly [Name in keyof Table]: Table[Name] extends TypeName
    ? `${Table[Name]}?`
    : Table[Name] extends string
      ? Table[Name]
      : Column<ValueOf<Table[Name]> | null>
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

/** What Prisma's client cannot say, each in one word. */
export type Lack =
  /** A lock on a number. */
  | 'advisory lock'
  /** A count, sum or newest value over rows of several tables. */
  | 'aggregate of a join'
  /** Elements of a stored array as rows. */
  | 'array elements'
  /** Many rows in one, with an array for each column. */
  | 'array of rows'
  /** PostgreSQL's own tables, and names of partitions. */
  | 'catalogue'
  /** The time of the database and not of the process. */
  | 'clock of the database'
  /** Several columns compared with a position at once. */
  | 'comparison of rows'
  /** An order by an expression. */
  | 'computed order'
  /** A column, a condition or a group that is an expression. */
  | 'computed value'
  /** A write whose condition reads other tables. */
  | 'condition of an update'
  /** A statement with its own time limit. */
  | 'deadline'
  /** Rows of tables, or of given values, that no foreign key connects. */
  | 'join without a relation'
  /** A value that a partial index has in its condition; the client sends parameters. */
  | 'literal in a condition'
  /** More keys than a statement may have parameters. */
  | 'many keys'
  /** The newest row of each of several keys. */
  | 'newest per key'
  /** At most so many rows of each of several keys. */
  | 'page per key'
  | 'recursion'
  /** Roles and their rights. */
  | 'role'
  | 'row lock'
  /** Settings and state of a connection. */
  | 'session'
  /** A table that its caller names. */
  | 'table by name'
  | 'table of migrations'
  | 'union'
  /** A view of the star schema. */
  | 'view'
  | 'window function'

/**
 * Why a statement is plain SQL and not a call of Prisma's client. Hot: a specified list or series, or every request, runs it,
 * and the client takes so many times its CPU (bench sql). Bulk: it writes many rows.
 */
export type PlainSqlCase = `hot ${number}` | `lacks ${Lack}` | 'bulk'

/** The text of a statement with the type of its rows. Only `statement` and `statements` create it. */
export type Statement<Row> = string & { readonly [ROW]: Row }

export type RowIn<Declared> = Declared extends Statement<infer Row> ? Row : never

export interface DeclaredStatement {
  readonly plainSql: PlainSqlCase
  readonly sql: string
  readonly columns: ColumnTable
}

const declared = new Map<string, DeclaredStatement>()

/** Far more than the code has. The limit detects statements that are declared at each run, which would fill the memory. */
const MAX_STATEMENTS = 1_000

/** Declares a statement and its columns, once, at the top of a module. A test compares them with what PostgreSQL prepares. */
export function statement<const Table extends ColumnTable>(
  plainSql: PlainSqlCase,
  columns: Table,
  sql: string,
): Statement<RowOf<Table>> {
  const known = declared.get(sql)
  if (known === undefined && declared.size >= MAX_STATEMENTS)
    throw new Error('too many statements are declared; declare each once, at the top of a module')
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify({ plainSql, sql, columns }))
    throw new Error(`a statement is declared twice, with different cases or columns: ${sql}`)
  declared.set(sql, { plainSql, sql, columns })
  return sql as Statement<RowOf<Table>> // its declaration is what a test compares
}

/** Statements with the same columns whose text depends on the request, such as its conditions; the test uses the example. */
export function statements<const Table extends ColumnTable, Args extends readonly unknown[]>(
  plainSql: PlainSqlCase,
  columns: Table,
  textOf: (...args: Args) => string,
  ...example: Args
): (...args: Args) => Statement<RowOf<Table>> {
  statement(plainSql, columns, textOf(...example))
  return textOf as (...args: Args) => Statement<RowOf<Table>> // of one shape with the example
}

/** The statements that all loaded modules have declared. */
export function declaredStatements(): readonly DeclaredStatement[] {
  return [...declared.values()]
}

/** Some columns of a table. */
export function only<const Table extends ColumnTable, const Name extends keyof Table>(
  columns: Table,
  ...names: readonly Name[]
): Pick<Table, Name> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Table, Name> // these names
}

/** The columns of a table but some. */
export function without<const Table extends ColumnTable, const Name extends keyof Table & string>(
  columns: Table,
  ...names: readonly Name[]
): Omit<Table, Name> {
  const left: readonly string[] = names
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !left.includes(name))) as Omit<
    Table,
    Name
  > // the others
}

type AsNumbers<Table extends ColumnTable> = {
  readonly [Name in keyof Table]: Table[Name] extends `numeric${string}?`
    ? 'float8?'
    : Table[Name] extends `numeric${string}`
      ? 'float8'
      : Table[Name]
}

/** Columns of decimals as columns of the nearest doubles. */
export function asNumbers<const Table extends ColumnTable>(columns: Table): AsNumbers<Table> {
  const changed = Object.entries(columns).map(([name, type]) => {
    if (typeof type !== 'string' || !type.startsWith('numeric')) return [name, type]
    return [name, type.endsWith('?') ? 'float8?' : 'float8']
  })
  return Object.fromEntries(changed) as AsNumbers<Table> // each column as the type above says
}

/** The columns as a select list, from a relation whose columns have the same names in snake case. Decimals are read as declared. */
export function selectList(columns: ColumnTable, relation: string): string {
  return Object.entries(columns)
    .map(([name, type]) => {
      const cast = type === 'float8' || type === 'float8?' ? '::float8' : ''
      return `${relation}.${snakeCase(name)}${cast} as "${name}"`
    })
    .join(', ')
}

/** The names of columns in SQL, of a relation if it is given. */
export function columnNames(columns: ColumnTable, relation?: string): string {
  const prefix = relation === undefined ? '' : `${relation}.`
  return Object.keys(columns)
    .map((name) => prefix + snakeCase(name))
    .join(', ')
}

/** SQL of an upsert: the incoming values of these columns in place of the stored ones. */
export function replaced(columns: ColumnTable): string {
  return `(${columnNames(columns)}) = row(${columnNames(columns, 'excluded')})`
}

/** The PostgreSQL type of a column. */
export function typeOf(column: ColumnType): string {
  return (typeof column === 'string' ? column : column.type).replace('?', '')
}

/** SQL of rows from a parameter with JSON objects, which have the columns as members. A member that is missing is null. */
export function jsonRows(columns: ColumnTable, parameter: string): string {
  const names = Object.keys(columns)
  const given = Object.entries(columns).map(([name, type]) => `"${name}" ${typeOf(type)}`)
  return `select ${names.map((name) => `"${name}" as ${snakeCase(name)}`).join(', ')}
    from jsonb_to_recordset(${parameter}::jsonb) as given(${given.join(', ')})`
}

/** The parameter of `jsonRows`. PostgreSQL refuses half a surrogate pair in JSON, so it becomes U+FFFD, as in a text. */
export function jsonOfRows(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  if (!json.includes('\\ud')) return json
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? Buffer.from(value).toString() : value,
  )
}

/** The members of rows as one array each, for `unnest`. */
export function arraysOf<Row, Name extends keyof Row>(
  rows: readonly Row[],
  ...names: readonly Name[]
): readonly (readonly Row[Name][])[] {
  return names.map((name) => rows.map((row) => row[name]))
}

/** The name of a column in SQL: `knownFrom` is known_from, `total24hUsd` is total_24h_usd. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|(?<=[a-z])\d+(?=[dh])/g, (part) => `_${part.toLowerCase()}`)
}
