import type { Database, Sql, Transaction } from '../database/database.js'
import { statementSummary } from './statement-summary.js'
import type { Tracing } from './tracing.js'

const SYSTEM = { 'db.system.name': 'postgresql' }

/** The database with a span for each statement, named by what it does; neither its text nor its values are shown. */
export function tracedDatabase(database: Database, tracing: Tracing): Database {
  return {
    ...database,
    prisma: tracedPrisma(database.prisma, tracing),
    rows: tracedRows(database, tracing),
    transaction: (work, limits) => database.transaction((tx) => work(tracedTransaction(tx, tracing)), limits),
    snapshot: (work) =>
      database.snapshot((own) => work({ ...tracedDatabase(own, tracing), identity: own.identity })),
  }
}

function tracedTransaction(tx: Transaction, tracing: Tracing): Transaction {
  return { ...tx, rows: tracedRows(tx, tracing) }
}

function tracedRows(sql: Sql, tracing: Tracing): Sql['rows'] {
  return (text, parameters, options) => {
    const summary = statementSummary(text)
    const facts = { name: summary, attributes: { ...SYSTEM, 'db.query.summary': summary } }
    return tracing.call(facts, () => sql.rows(text, parameters, options))
  }
}

function tracedPrisma(prisma: Database['prisma'], tracing: Tracing): Database['prisma'] {
  const traced = prisma.$extends({
    query: {
      $allOperations: ({ model, operation, args, query }) => {
        const summary = model === undefined ? operation : `${operation} ${model}`
        const facts = { name: summary, attributes: { ...SYSTEM, 'db.query.summary': summary } }
        return tracing.call(facts, () => query(args))
      },
    },
  })
  return traced as unknown as Database['prisma'] // an extension of queries adds and takes away no method that is used
}
