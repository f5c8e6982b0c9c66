import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { copyPostgresWorld, type DatabaseKind, dropPostgresDatabase, embeddedImage } from './database.js'

/** A column of the rows of a prepared statement. */
export interface PreparedColumn {
  readonly name: string
  /** Name in pg_type; arrays begin with an underscore. */
  readonly type: string
  /** It is a column of a table that may be null there; null: it is none, or the database does not say. */
  readonly isNullable: boolean | null
}

/** Prepares statements on a migrated database, and runs none. */
export interface Describer {
  columnsOf(sql: string): Promise<readonly PreparedColumn[]>
  close(): Promise<void>
}

export function openDescriber(kind: DatabaseKind): Promise<Describer> {
  return kind === 'pglite' ? describerOnPglite() : describerOnPostgres()
}

async function describerOnPglite(): Promise<Describer> {
  const engine = await PGlite.create({ loadDataDir: await embeddedImage('empty') })
  const typeNames = new Map(
    (await engine.query<PgType>(TYPES)).rows.map(({ oid, typname }) => [oid, typname]),
  )
  return {
    columnsOf: async (sql) =>
      (await engine.describeQuery(sql)).resultFields.map(({ name, dataTypeID }) => ({
        name,
        type: typeNames.get(dataTypeID) ?? String(dataTypeID),
        isNullable: null,
      })),
    close: () => engine.close(),
  }
}

interface PgType {
  readonly oid: number
  readonly typname: string
}
const TYPES = 'select oid::int4 as oid, typname from pg_type'

interface Field {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
}

/** Null where it is not known. */
function nullability(isNotNull: boolean | undefined): boolean | null {
  return isNotNull === undefined ? null : !isNotNull
}

async function describerOnPostgres(): Promise<Describer> {
  const url = await copyPostgresWorld('empty')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const types = await client.query<PgType>(TYPES)
  const typeNames = new Map(types.rows.map(({ oid, typname }) => [oid, typname]))
  const columns = await client.query<{ attrelid: number; attnum: number; attnotnull: boolean }>(
    // Of a column of a view the catalog does not know it.
    `select attrelid::int4 as attrelid, attnum, attnotnull from pg_attribute
     join pg_class as c on c.oid = attrelid and c.relkind in ('r', 'p') where attnum > 0`,
  )
  const isNotNull = new Map(
    columns.rows.map(({ attrelid, attnum, attnotnull }) => [`${attrelid} ${attnum}`, attnotnull]),
  )
  return {
    columnsOf: async (sql) =>
      (await described(client, sql)).map(({ name, dataTypeID, tableID, columnID }) => ({
        name,
        type: typeNames.get(dataTypeID) ?? String(dataTypeID),
        isNullable: nullability(isNotNull.get(`${tableID} ${columnID}`)),
      })),
    close: async () => {
      await client.end()
      await dropPostgresDatabase(url)
    },
  }
}

/** Parse, Describe, Sync. */
function described(client: pg.Client, text: string): Promise<readonly Field[]> {
  return new Promise((resolve, reject) => {
    let fields: readonly Field[] = []
    let failure: Error | null = null
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ text, name: '', types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: (message: { fields: readonly Field[] }) => {
        fields = message.fields
      },
      handleError: (error: Error) => {
        failure = error
        reject(error)
      },
      handleReadyForQuery: () => {
        if (failure === null) resolve(fields)
      },
    } as pg.Submittable)
  })
}
