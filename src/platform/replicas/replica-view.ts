import type { Database } from '../database/database.js'
import { aroundCalls } from '../database/prisma/prisma-models.js'
import type { Replica } from './replica.js'

/** A database that reads a replica, for one run of an operation that only reads. */
export interface ReplicaView {
  readonly database: Database
  /** Whether all reads came from the replica. */
  isWhole(): boolean
}

/**
 * Reads the replica, and after a failure the primary, so that the run continues. Everything except reads goes to the
 * primary. A run that is not whole mixes two servers and must be repeated on the primary. The same applies to runs that
 * share a read with it; `Replica.confirms` detects them, because a failed replica gets another identity.
 */
export function createReplicaView(primary: Database, replica: Replica, identity: object): ReplicaView {
  let isWhole = true
  let hasFailed = false
  const onPrimary = (): Database => {
    isWhole = false
    return primary
  }
  const read = async <T>(there: () => Promise<T>, here: (database: Database) => Promise<T>): Promise<T> => {
    if (!hasFailed) {
      try {
        return await there()
      } catch {
        hasFailed = true // the replica has recorded the error, and the read is retried below
      }
    }
    return here(onPrimary())
  }
  const database: Database = {
    kind: primary.kind,
    identity,
    prisma: aroundCalls(replica.prisma, ({ on }, run) => read(run, ({ prisma }) => on(prisma))),
    rows: (sql, parameters, options) =>
      read(
        () => replica.rows(sql, parameters, options),
        (database) => database.rows(sql, parameters, options),
      ),
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
