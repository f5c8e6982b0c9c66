import type { SqlDriverAdapterFactory, SqlQuery, SqlQueryable } from '@prisma/driver-adapter-utils'
import { ApiError } from '../core/errors.js'
import { PrismaClient } from '../generated/prisma/client.js'
import { openEmbedded, openMemory } from './embedded-driver.js'
import { openPostgres } from './postgres-driver.js'
import type { SqlConnection, SqlDriver } from './sql-driver.js'
import { parameterText } from './sql-values.js'

/** Plain SQL. */
export interface Sql {
  /**
   * Runs one statement. Parameters: string, number, bigint, boolean, Date, Uint8Array, null and arrays of them
   * (`unnest($1::text[])`); JSON and decimals go in as text. Values, alike on both kinds: date → `YYYY-MM-DD`,
   * timestamptz → Date, int8 → number (throws beyond 2^53-1), numeric → exact text (cast `::float8` for a number),
   * json → parsed, arrays → arrays, bytea → Buffer. `Row` is the caller's word for the columns the SQL names.
   */
  rows<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>
}

/** Plain SQL on the connection of one transaction, one statement at a time; refuses to run once it is over. */
export interface Transaction extends Sql {
  /** Several statements without parameters, such as a migration. */
  script(sql: string): Promise<void>
}

export interface Database extends Sql {
  readonly kind: 'pglite' | 'postgres'
  readonly prisma: PrismaClient
  /**
   * BEGIN, work, COMMIT; ROLLBACK when the work throws. Inside the work use `tx` only: PGlite has one connection,
   * so a call of `rows` or `prisma` from within waits for the transaction to end, and awaiting it there never does.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Reads that all see one state of the data (REPEATABLE READ, READ ONLY), through the database handed in: its `rows` are
   * those of the snapshot. As in a transaction, nothing else may be awaited within.
   */
  snapshot<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Several statements without parameters, all or nothing. */
  script(sql: string): Promise<void>
  /** Statements sent since open, by rows, scripts (1 each) and Prisma alike; BEGIN, COMMIT, ROLLBACK not counted. */
  statementCount(): number
  /** Throws `service_unavailable` when no answer comes within 2 s. */
  ping(): Promise<void>
  /** Waits for running statements. PGlite: writes a checkpoint and releases the directory. */
  close(): Promise<void>
}

export type DatabaseTarget =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'memory'; readonly loadDataDir?: Blob }
  | {
      readonly kind: 'postgres'
      readonly url: string
      readonly poolSize?: number
      /** False: no statement is prepared, for poolers that hand each transaction another connection. */
      readonly isPreparing?: boolean
    }

export interface DatabaseOptions {
  /** Told of connections that break while nobody waits on them; whoever waits gets `service_unavailable` instead. */
  readonly onError?: (error: Error) => void
}

const PING_MS = 2_000

/**
 * Opens a database; migrates nothing. PostgreSQL is not contacted before the first statement. When it is out of
 * reach, plain SQL throws `service_unavailable` and Prisma an error that `asUnavailable` knows; the next call tries
 * anew.
 * Throws when another process holds the embedded directory.
 */
export async function openDatabase(target: DatabaseTarget, options: DatabaseOptions = {}): Promise<Database> {
  const driver = await openDriver(target, options.onError ?? (() => {}))
  let statements = 0
  const onStatement = () => {
    statements += 1
  }
  const prisma = new PrismaClient({ adapter: countedAdapter(driver.adapter, onStatement) })
  const sql = sqlOn(driver.query, onStatement)
  const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    driver.transaction((connection) => withinTransaction(connection, onStatement, work))
  const database: Database = {
    kind: target.kind === 'postgres' ? 'postgres' : 'pglite',
    prisma,
    rows: sql.rows,
    transaction,
    snapshot: (work) =>
      transaction(async (tx) => {
        await tx.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
        return work({ ...database, rows: tx.rows })
      }),
    script: (text) => transaction((tx) => tx.script(text)),
    statementCount: () => statements,
    ping: async () => {
      await within(PING_MS, sql.rows('SELECT 1'))
    },
    close: async () => {
      await prisma.$disconnect()
      await driver.close()
    },
  }
  return database
}

function openDriver(target: DatabaseTarget, onError: (error: Error) => void): SqlDriver | Promise<SqlDriver> {
  switch (target.kind) {
    case 'embedded':
      return openEmbedded(target.directory)
    case 'memory':
      return openMemory(target.loadDataDir)
    case 'postgres':
      return openPostgres(target, onError)
  }
}

function sqlOn(query: SqlConnection['query'], onStatement: () => void): Sql {
  return {
    rows: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
      const texts = parameters.map(parameterText)
      onStatement()
      return (await query(sql, texts)) as readonly Row[] // the caller's SQL decides the columns
    },
  }
}

async function withinTransaction<T>(
  connection: SqlConnection,
  onStatement: () => void,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let isOver = false
  // After the end the connection is someone else's: a forgotten await must not write there.
  const onUse = () => {
    if (isOver) throw new Error('the transaction is over')
    onStatement()
  }
  try {
    return await work({
      ...sqlOn(connection.query, onUse),
      script: async (sql) => {
        onUse()
        await connection.execute(sql)
      },
    })
  } finally {
    isOver = true
  }
}

/** Prisma's adapter with its statements counted. */
function countedAdapter(factory: SqlDriverAdapterFactory, onStatement: () => void): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = counted(await factory.connect(), onStatement)
      const start = adapter.startTransaction.bind(adapter)
      adapter.startTransaction = async (isolation) => counted(await start(isolation), onStatement)
      return adapter
    },
  }
}

const TRANSACTION_CONTROL: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'ROLLBACK'])

function counted<Queryable extends SqlQueryable>(queryable: Queryable, onStatement: () => void): Queryable {
  const count =
    <Result>(run: (query: SqlQuery) => Promise<Result>) =>
    (query: SqlQuery): Promise<Result> => {
      if (!TRANSACTION_CONTROL.has(query.sql)) onStatement()
      return run(query)
    }
  queryable.queryRaw = count(queryable.queryRaw.bind(queryable))
  queryable.executeRaw = count(queryable.executeRaw.bind(queryable))
  return queryable
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const late = () =>
      reject(new ApiError('service_unavailable', { cause: new Error(`no answer in ${ms} ms`) }))
    timer = setTimeout(late, ms)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
