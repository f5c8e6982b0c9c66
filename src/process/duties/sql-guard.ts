import { type Config, databaseTarget } from '../../config.js'
import { LOCK_CREDENTIALS, noteFaults } from '../../domains/access/sql-credentials/sql-credential-store.js'
import { keepUpRoles } from '../../domains/access/sql-credentials/sql-credential-upkeep.js'
import { type Database, openDatabase } from '../../platform/database/database.js'
import { openPostgresReads } from '../../platform/database/postgres/postgres-reads.js'
import { endSessions } from '../../platform/database/sql-roles/end-sessions.js'
import { renewRoles } from '../../platform/database/sql-roles/role-group.js'
import type { StatementLimits } from '../../platform/database/statement-limits.js'
import type { Logger } from '../../platform/logger.js'
import { settledWithin } from '../../platform/settled-within.js'
import { VIEW_SCOPES } from '../../policy/view-scopes.js'

/** A session that exceeds a limit, or whose role has ended, is closed within a second. */
const EVERY_MS = 500

/** A pass that waits longer is aborted; the next one starts again. */
const LIMITS: StatementLimits = { statementMs: 2_000, idleMs: 5_000 }

/** A repeated failure is logged once in this time. */
const SAID_EVERY_MS = 60_000

const STOP_MS = 1_000

export interface SqlGuard {
  /** Grants SQL roles the views that migrations created and revokes others; failures are logged. */
  migrated(): Promise<void>
  stop(): Promise<void>
}

type GuardLog = Pick<Logger, 'info' | 'warn'>

/** One watched server: the primary or a replica. */
interface Watched {
  readonly pass: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Closes sessions of SQL roles that exceed their limits: a role may disable its own limits. It uses a separate connection, so
 * that load does not delay it. Each node does this, and further passes change nothing. It does nothing on the embedded
 * database.
 */
export function startSqlGuard(config: Config, log: GuardLog): SqlGuard {
  const target = databaseTarget(config)
  if (target.kind !== 'postgres') return { migrated: async () => {}, stop: async () => {} }
  // The pass that uses the connection gets its error.
  const onError = () => {}
  const opening = openDatabase({ ...target, poolSize: 1 }, { limits: LIMITS, onError })
  const replicas = config.replicaUrls.map((url): Watched => {
    const reads = openPostgresReads({ ...target, url, poolSize: 1 }, { limits: LIMITS, onError })
    const pass = async () => {
      const ended = await endSessions(reads)
      say(log, ended)
      sayDisabled(log, await noteFaults(await opening, ended))
    }
    return { pass, close: () => reads.close() }
  })
  const primary: Watched = {
    pass: async () => keepUp(await opening, log),
    close: async () => (await opening).close(),
  }
  const loops = [primary, ...replicas].map((watched) => repeat(watched, log))
  return {
    migrated: async () => {
      try {
        await (await opening).transaction(async (tx) => {
          await tx.script(LOCK_CREDENTIALS)
          await renewRoles(tx, [...VIEW_SCOPES.keys()])
        }, LIMITS)
      } catch (error) {
        log.warn(
          { err: error },
          'SQL roles may lack views of star_public, or have more rights than they should, until the next start',
        )
      }
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

async function keepUp(database: Database, log: GuardLog): Promise<void> {
  const { ended, disabled, dropped, failures } = await keepUpRoles(database)
  say(log, ended)
  sayDisabled(log, disabled)
  if (dropped.length > 0) log.info({ roles: dropped }, 'SQL roles that had ended are removed')
  if (failures.length > 0) throw failures[0]
}

/** Logs one line for all sessions of a pass. */
function say(log: GuardLog, ended: readonly { readonly role: string; readonly reason: string }[]): void {
  if (ended.length === 0) return
  const sessions = Object.fromEntries(ended.map(({ role, reason }) => [role, reason]))
  log.info({ count: ended.length, sessions }, 'sessions of SQL roles are ended')
}

function sayDisabled(log: GuardLog, roles: readonly string[]): void {
  if (roles.length > 0)
    log.warn({ roles }, 'SQL logins that were ended three times within an hour are disabled')
}

function repeat({ pass, close }: Watched, log: GuardLog): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let saidAtMs = Number.NEGATIVE_INFINITY
  const run = async () => {
    try {
      await pass()
    } catch (error) {
      if (!isStopped && performance.now() - saidAtMs > SAID_EVERY_MS) {
        saidAtMs = performance.now()
        log.warn({ err: error }, 'SQL roles could not be looked after; tried again twice a second')
      }
    }
    if (!isStopped) timer = setTimeout(start, EVERY_MS).unref()
  }
  const start = () => {
    current = run()
  }
  let current = run()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await settledWithin(STOP_MS, current)
      await close()
    },
  }
}
