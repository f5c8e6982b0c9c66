import type { Database } from '../database/database.js'
import type { Replica } from './replica.js'

/** A database whose rows come from a replica, for one run of an operation that only reads. */
export interface ReplicaView {
  readonly database: Database
  /** Whether nothing was asked of the primary. */
  isWhole(): boolean
}

/**
 * Rows of the replica; once it has failed, those of the primary, so that the run goes on. Whatever else is asked goes to
 * the primary. A run that is not whole mixes two servers: make it again on the primary. So must runs be that share a read
 * with it, which `Replica.confirms` sees: a replica that has failed has another identity from then on.
 */
export function viewOf(primary: Database, replica: Replica, identity: object): ReplicaView {
  let isWhole = true
  let hasFailed = false
  const onPrimary = (): Database => {
    isWhole = false
    return primary
  }
  const database: Database = {
    kind: primary.kind,
    identity,
    get prisma() {
      return onPrimary().prisma
    },
    rows: async (sql, parameters, options) => {
      if (!hasFailed) {
        try {
          return await replica.rows(sql, parameters, options)
        } catch {
          hasFailed = true // the replica has noted the error, and the statement now has a second try
        }
      }
      return onPrimary().rows(sql, parameters, options)
    },
    transaction: (work, limits) => onPrimary().transaction(work, limits),
    snapshot: (work) => onPrimary().snapshot(work),
    holding: (names, work) => onPrimary().holding(names, work),
    script: (sql) => onPrimary().script(sql),
    statementCount: () => primary.statementCount(),
    poolUse: () => primary.poolUse(),
    ping: () => onPrimary().ping(),
    close: () => Promise.resolve(), // it is not the view's
  }
  return { database, isWhole: () => isWhole }
}
