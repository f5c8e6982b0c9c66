import type { SqlDriverAdapterFactory, SqlQuery, SqlQueryable } from '@prisma/driver-adapter-utils'
import { answeredWithin } from '../connection/answered-within.js'
import { joinedTransaction } from './prisma-transaction.js'

interface StatementOptions {
  readonly onStatement: () => void
  /** Limit of a statement including its wait for a connection; null for no limit. */
  readonly limitMs: number | null
}

/** Prisma's adapter with counted and limited statements. Its transactions may join that of a `PrismaOnConnection`. */
export function countedAdapter(
  factory: SqlDriverAdapterFactory,
  options: StatementOptions,
): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = counted(await factory.connect(), options)
      const start = adapter.startTransaction.bind(adapter)
      adapter.startTransaction = async (isolation) => {
        const joined = await joinedTransaction()
        return joined === null
          ? counted(await start(isolation), options)
          : counted(joined, { ...options, limitMs: null }) // its connection has the limits of its transaction
      }
      return adapter
    },
  }
}

const TRANSACTION_CONTROL: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'ROLLBACK'])

function counted<Queryable extends SqlQueryable>(
  queryable: Queryable,
  { onStatement, limitMs }: StatementOptions,
): Queryable {
  const count =
    <Result>(run: (query: SqlQuery) => Promise<Result>) =>
    (query: SqlQuery): Promise<Result> => {
      if (!TRANSACTION_CONTROL.has(query.sql)) onStatement()
      return limitMs === null ? run(query) : answeredWithin(limitMs, run(query))
    }
  queryable.queryRaw = count(queryable.queryRaw.bind(queryable))
  queryable.executeRaw = count(queryable.executeRaw.bind(queryable))
  return queryable
}
