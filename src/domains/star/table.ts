import type { DatasetName } from '../../core/datasets.js'
import type { Method } from '../../core/method.js'

/** PostgreSQL types of the columns of the star schema. */
export type StarType =
  | 'text'
  | 'int'
  | 'smallint'
  | 'bigint'
  | 'numeric'
  | 'boolean'
  | 'date'
  | 'timestamptz'
  | 'text[]'
  | 'jsonb'

/** A column of a view, as SQL, GraphQL, REST and the tests need it. */
export interface StarColumn {
  readonly type: StarType
  /** Unit, range and meaning of null: the comment of the column and the description of the field. */
  readonly text: string
  /** The SQL expression of the view. */
  readonly sql: string
  readonly isNullable?: true
  readonly isUnique?: true
  /** The referenced dimension, and the name of the edge to it. */
  readonly references?: { readonly view: string; readonly column: string; readonly edge: string }
  /** All possible values. */
  readonly values?: readonly (string | number | boolean)[]
  /** SQL condition on the view that every row fulfils. */
  readonly rule?: string
}

/** The column for `from`, `to` and pages: a day, or an instant whose UTC day counts. */
export interface TimeColumn {
  readonly name: string
  readonly kind: 'day' | 'instant'
}

/**
 * How the rows of a fact are counted by day when they are written, so that no request counts them. `add`: each row
 * of the operational table that fulfils `where` is a row of the fact. `recount`: the day of a written row is
 * counted again in the view.
 */
export interface StarCount {
  readonly table: string
  readonly by: 'add' | 'recount'
  /** SQL over a row `r` of the table: its day. Null: not tied to a day. */
  readonly day: string
  readonly where?: string
  /** SQL over a row `r`: its hour, for facts with many rows per day, which `add` then counts by hour too. */
  readonly hour?: string
}

/** How REST and GraphQL serve a view. */
export interface StarEndpoint {
  /** Last segment of the path: /v1/star/dim/assets. */
  readonly path: string
  /** Name of the GraphQL type. */
  readonly typeName: string
  readonly summary: string
  /** As those of an endpoint. */
  readonly keywords: readonly string[]
  /** Columns whose order is unique, or the time column and the columns that are unique within it. */
  readonly order: readonly string[]
  readonly time?: TimeColumn
  /** A column by whose values callers can filter. */
  readonly choice?: StarChoice
}

/** A column of few values that a parameter of its name filters by. */
export interface StarChoice {
  readonly column: string
  /** SQL by value: the days and row counts of the rows with this value, so that no request counts them. */
  readonly dayCounts: Readonly<Record<string, string>>
}

/** A view of the schema `star_public`. */
export interface StarTable {
  readonly view: string
  readonly kind: 'dimension' | 'fact' | 'satellite'
  /** The meaning of a row: the comment of the view and the description of the type. */
  readonly text: string
  /** Columns that tell a row from all others. */
  readonly key: readonly string[]
  /** SQL conditions on the view that every row fulfils. */
  readonly rules?: readonly string[]
  readonly columns: Readonly<Record<string, StarColumn>>
  /** SQL from `from` on. */
  readonly from: string
  /** The datasets of the view; the first one determines its age. Empty for fixed or computed views. */
  readonly reads: readonly DatasetName[]
  /** SQL only if absent. */
  readonly endpoint?: StarEndpoint
  /** The method of its derived values; absent without any. */
  readonly method?: Method
  /** The meaning of its prices; absent without any. */
  readonly priceType?: 'consensus_vwap'
  /** If absent, a request counts the rows once per version of the datasets. */
  readonly counts?: readonly StarCount[]
}

/** A view that REST and GraphQL serve. */
export interface ServedTable extends StarTable {
  readonly endpoint: StarEndpoint
}

export function isServed(table: StarTable): table is ServedTable {
  return table.endpoint !== undefined
}

/** The comment of a view: its meaning, its key and the dimensions that its columns refer to. PostgreSQL has no keys of views. */
export function viewComment({ text, key, columns }: StarTable): string {
  const references = Object.entries(columns).flatMap(([name, { references: to }]) =>
    to === undefined ? [] : [`${name} refers to ${to.view}.${to.column}.`],
  )
  return [text, `Key: ${key.join(', ')}.`, ...references].join(' ')
}

/** SQL: UTC day of an instant. */
export const utcDay = (instant: string) => `(${instant} at time zone 'UTC')::date`

/** SQL: UTC hour of an instant. */
export const utcHour = (instant: string) => `date_trunc('hour', ${instant}, 'UTC')`

/** Whether the rows of a fact are counted by hour too. */
export function isCountedByHour({ counts }: StarTable): boolean {
  return counts?.some(({ hour }) => hour !== undefined) ?? false
}

/** SQL: YYYYMMDD of a day, as a whole number. */
export const dayNumber = (day: string) => `to_char(${day}, 'YYYYMMDD')::int`

/** SQL: the key of a row by what tells it from others. */
export const surrogateKey = (...parts: readonly string[]) => `md5(${parts.join(` || '|' || `)})`

/** SQL: a number, because some are stored with trailing zeros. */
export const trimmed = (number: string) => `trim_scale(${number})`

/** SQL: a text. */
export const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`

/** SQL: the key of the current version of an asset. In the select list, so that nothing changes the order of a page. */
const currentAsset = (assetId: string) =>
  `(select known.asset_sk from star_public.dim_asset as known where known.asset_id = ${assetId} and known.is_current)`

/** SQL: whether an asset is in the star schema. */
export const isCrypto = (assetId: string) =>
  `(select master.asset_class from asset as master where master.asset_id = ${assetId}) = 'crypto'`

export const assetSk = (assetId: string): StarColumn => ({
  type: 'text',
  text: 'Key of the current version of the asset in dim_asset.',
  sql: currentAsset(assetId),
  references: { view: 'dim_asset', column: 'asset_sk', edge: 'asset' },
})

export const assetId = (sql: string): StarColumn => ({
  type: 'int',
  text: 'Integer key of the asset, the same for all its versions.',
  sql,
})

export const snapshotDate = (sql: string): StarColumn => ({
  type: 'date',
  text: 'UTC day of the figures.',
  sql,
})

/** The day as a key of dim_date. */
export const dateKey = (day: string): StarColumn => ({
  type: 'int',
  text: 'The day as YYYYMMDD: its key in dim_date.',
  sql: dayNumber(day),
  references: { view: 'dim_date', column: 'date_key', edge: 'date' },
})

/** The first columns of a fact by asset and day. */
export const ofAssetDay = (asset: string, day: string) => ({
  asset_sk: assetSk(asset),
  asset_id: assetId(asset),
  snapshot_date: snapshotDate(day),
  date_key: dateKey(day),
})

/** How facts by asset and day are listed. */
export const BY_ASSET_AND_DAY = {
  order: ['snapshot_date', 'asset_id'],
  time: { name: 'snapshot_date', kind: 'day' },
} as const

export const methodologyVersion = (sql: string): StarColumn => ({
  type: 'text',
  text: 'Version of the rules by which the figures are derived.',
  sql,
})

export const loadedAt = (sql: string): StarColumn => ({
  type: 'timestamptz',
  text: 'When the row became known to the gateway.',
  sql,
})

/** A nullable figure. */
export const figure = (sql: string, text: string): StarColumn => ({
  type: 'numeric',
  isNullable: true,
  text: `${text} Null: not known.`,
  sql: trimmed(sql),
})

/** A nullable whole number. */
export const count = (sql: string, text: string): StarColumn => ({
  type: 'bigint',
  isNullable: true,
  text: `${text} Null: not known.`,
  sql,
  rule: 'value >= 0',
})

/** SQL: rows of fixed values as a relation `f`. */
export function fixedRows(
  columns: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const literal = (value: string | number | boolean | null) =>
    typeof value === 'string' ? sqlText(value) : String(value)
  const lines = rows.map((row) => `    (${row.map(literal).join(', ')})`)
  return `(values\n${lines.join(',\n')}\n  ) as f(${columns.join(', ')})`
}
