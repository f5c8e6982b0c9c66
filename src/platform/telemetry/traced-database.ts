import type { Database, Sql, Transaction } from '../database/database.js'
import { aroundCalls, type PrismaModels } from '../database/prisma/prisma-models.js'
import { statementSummary } from './statement-summary.js'
import type { Tracing } from './tracing.js'

const SYSTEM = { 'db.system.name': 'postgresql' }

/** Adds a span to each statement, named by its verb and table. Spans contain neither text nor values. */
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
  return { ...tx, rows: tracedRows(tx, tracing), prisma: tracedPrisma(tx.prisma, tracing) }
}

function tracedRows(sql: Sql, tracing: Tracing): Sql['rows'] {
  return (text, parameters, options) => {
    const summary = statementSummary(text)
    const description = { name: summary, attributes: { ...SYSTEM, 'db.query.summary': summary } }
    return tracing.call(description, () => sql.rows(text, parameters, options))
  }
}

function tracedPrisma(prisma: PrismaModels, tracing: Tracing): PrismaModels {
  return aroundCalls(prisma, ({ model, operation }, run) => {
    const summary = model === undefined ? operation : `${operation} ${capitalized(model)}`
    return tracing.call({ name: summary, attributes: { ...SYSTEM, 'db.query.summary': summary } }, run)
  })
}

/** The name of a model; the client's member begins in lower case. */
function capitalized(member: string): string {
  return `${member.slice(0, 1).toUpperCase()}${member.slice(1)}`
}
