import { PrismaClient } from '../../generated/prisma/client.js'
import { answeredWithin } from './connection/answered-within.js'
import { asUnavailable } from './connection/connection-loss.js'
import { outageOf } from './connection/outage.js'
import { openEmbedded, openMemory } from './embedded/embedded-driver.js'
import { openPostgres } from './postgres/postgres-driver.js'
import { countedAdapter } from './prisma/prisma-adapter.js'
import { aroundCalls, type PrismaModels } from './prisma/prisma-models.js'
import { PrismaOnConnection } from './prisma/prisma-transaction.js'
import type { PoolUse, QueryOptions, SqlConnection, SqlDriver, TransactionConnection } from './sql-driver.js'
import { parameterText } from './sql-values.js'
import type { Statement } from './statement.js'
import { BATCH_LIMITS, MIGRATION_LIMITS, REQUEST_LIMITS, type StatementLimits } from './statement-limits.js'

/** Plain SQL. */
export interface Sql {
  /**
   * Runs one statement. Parameters: string, number, bigint, boolean, Date, Uint8Array, null and arrays of them
   * (`unnest($1::text[])`); JSON and decimals go in as text. Values, alike on both kinds: date → `YYYY-MM-DD`,
   * timestamptz → Date, int8 → number (throws beyond 2^53-1), numeric → exact text (cast `::float8` for a number),
   * json → parsed, arrays → arrays, bytea → Buffer. A statement that is declared (statement.ts) has the type of its rows.
   * Rows of a plain text are unknown: their type is not inferred from what the caller makes of them.
   */
  rows<Row>(
    sql: string | Statement<Row>,
    parameters?: readonly unknown[],
    options?: RowsOptions,
  ): Promise<readonly NoInfer<Row>[]>
}

/** Options for PostgreSQL; a transaction uses `withinMs` only. */
export type RowsOptions = QueryOptions

/** Statements and Prisma's client on one connection or in one database. */
export interface Queries extends Sql {
  readonly prisma: PrismaModels
}

/**
 * The connection of one transaction, for plain SQL and for Prisma's client, one statement at a time. It throws after the
 * transaction has ended, and `service_unavailable` when the connection is lost.
 */
export interface Transaction extends Queries {
  /** Several statements without parameters, such as a migration. */
  script(sql: string): Promise<void>
}

export interface Database extends Queries {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Key for values that are cached by data version: the same object as long as data read through this database only become
   * newer. A snapshot has another one.
   */
  readonly identity: object
  /**
   * BEGIN, work, COMMIT; ROLLBACK when the work throws. Inside the work use `tx` only: PGlite has one connection,
   * so a call of `rows` or `prisma` from within waits for the transaction to end, and awaiting it there never does.
   * Statements have the time of a batch (statement-limits.ts) unless other limits are given.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, limits?: StatementLimits): Promise<T>
  /**
   * Reads that all see one state of the data (REPEATABLE READ, READ ONLY), through the database handed in: its `rows` and
   * its `prisma` are those of the snapshot. As in a transaction, nothing else may be awaited within.
   */
  snapshot<T>(work: (database: Database) => Promise<T>): Promise<T>
  /**
   * Runs the work while this process holds the named locks. Other processes on the database see that (`loadHeldLocks`), and
   * a killed process releases them. Throws `service_unavailable` before the work when the database is unreachable.
   */
  holding<T>(names: readonly string[], work: () => Promise<T>): Promise<T>
  /** Several statements without parameters, all or nothing, with the time of a migration. */
  script(sql: string): Promise<void>
  /** Statements sent since open, by rows, scripts (1 each) and Prisma alike; BEGIN, COMMIT, ROLLBACK not counted. */
  statementCount(): number
  /** The use of the connection pool; null on the embedded database, which has one connection. */
  poolUse(): PoolUse | null
  /** Runs a statement ahead of waiting callers. Throws `service_unavailable` after 2 s. */
  ping(): Promise<void>
  /**
   * Waits up to 3 s for running statements, then breaks their connections. PGlite: writes a checkpoint and releases the
   * directory.
   */
  close(): Promise<void>
}

export type DatabaseTarget =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'memory'; readonly loadDataDir?: Blob }
  | {
      readonly kind: 'postgres'
      readonly url: string
      readonly poolSize?: number
      /** False for poolers that give each transaction another connection: no statement is prepared. */
      readonly isPreparing?: boolean
    }

export interface DatabaseOptions {
  /** Called when an idle connection breaks. A caller that uses a broken connection gets `service_unavailable`. */
  readonly onError?: (error: Error) => void
  /** Limits of statements outside transactions; by default those of requests. */
  readonly limits?: StatementLimits
}

const PING_MS = 2_000

/**
 * Opens a database without migrating it. PostgreSQL is not contacted before the first statement. While it is unreachable,
 * plain SQL throws `service_unavailable` and Prisma an error that `asUnavailable` recognizes; the next call tries again.
 * Throws when another process holds the embedded directory.
 */
export async function openDatabase(target: DatabaseTarget, options: DatabaseOptions = {}): Promise<Database> {
  const { onError = () => {}, limits = REQUEST_LIMITS } = options
  const driver = await openDriver(target, { onError, limits })
  let statements = 0
  const onStatement = () => {
    statements += 1
  }
  const prisma = new PrismaClient({
    adapter: countedAdapter(driver.adapter, { onStatement, limitMs: driver.limitMs }),
  })
  const sql = sqlOn(driver.query, onStatement)
  const transaction = <T>(work: (tx: Transaction) => Promise<T>, within = BATCH_LIMITS) =>
    driver.transaction((connection) => withinTransaction({ connection, prisma, onStatement }, work), within)
  const database: Database = {
    kind: target.kind === 'postgres' ? 'postgres' : 'pglite',
    prisma,
    identity: {},
    rows: sql.rows,
    transaction,
    snapshot: (work) =>
      transaction(async (tx) => {
        await tx.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
        return work({ ...database, identity: {}, rows: tx.rows, prisma: tx.prisma })
      }, REQUEST_LIMITS),
    holding: driver.holding,
    script: (text) => transaction((tx) => tx.script(text), MIGRATION_LIMITS),
    statementCount: () => statements,
    poolUse: () => driver.poolUse(),
    ping: async () => {
      onStatement()
      await answeredWithin(PING_MS, driver.ping())
      outageOf(database).end()
    },
    close: async () => {
      // First the driver, which waits for running statements: Prisma would end running transactions at once.
      await driver.close()
      await prisma.$disconnect()
    },
  }
  return database
}

function openDriver(
  target: DatabaseTarget,
  options: Required<DatabaseOptions>,
): SqlDriver | Promise<SqlDriver> {
  switch (target.kind) {
    case 'embedded':
      return openEmbedded(target.directory)
    case 'memory':
      return openMemory(target.loadDataDir)
    case 'postgres':
      return openPostgres(target, options)
  }
}

/** Statements on a connection of PostgreSQL or PGlite. */
export function sqlOn(query: SqlConnection['query'], onStatement: () => void): Sql {
  return {
    rows: async <Row>(sql: string, parameters: readonly unknown[] = [], options: RowsOptions = {}) => {
      const texts = parameters.map(parameterText)
      onStatement()
      return (await query(sql, texts, options)) as readonly Row[] // the caller's SQL decides the columns
    },
  }
}

interface TransactionParts {
  readonly connection: TransactionConnection
  readonly prisma: PrismaClient
  readonly onStatement: () => void
}

async function withinTransaction<T>(
  { connection, prisma, onStatement }: TransactionParts,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const joining = new PrismaOnConnection(prisma, connection.adapter)
  let isOver = false
  // After the end the connection belongs to another caller: a forgotten await must not write there.
  const assertOpen = () => {
    if (isOver) throw new Error('the transaction is over')
  }
  const onUse = () => {
    assertOpen()
    onStatement()
  }
  try {
    return await work({
      ...sqlOn(connection.query, onUse),
      prisma: aroundCalls(prisma, async ({ on }) => {
        assertOpen()
        return on(await joining.join()).catch((error) => {
          throw asUnavailable(error)
        })
      }),
      script: async (sql) => {
        onUse()
        await connection.execute(sql)
      },
    })
  } finally {
    isOver = true
    await joining.leave()
  }
}
