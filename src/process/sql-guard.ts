import { type Config, databaseTarget } from '../config.js'
import { LOCK_CREDENTIALS, noteFaults } from '../domains/access/sql-credentials/sql-credential-store.js'
import { keepUpRoles } from '../domains/access/sql-credentials/sql-credential-upkeep.js'
import { type Database, openDatabase } from '../platform/database/database.js'
import { openPostgresReads } from '../platform/database/postgres/postgres-reads.js'
import { endSessions } from '../platform/database/sql-roles/end-sessions.js'
import { renewRoles } from '../platform/database/sql-roles/role-group.js'
import type { StatementLimits } from '../platform/database/statement-limits.js'
import type { Logger } from '../platform/logger.js'
import { settledWithin } from '../platform/settled-within.js'
import { VIEW_SCOPES } from '../policy/view-scopes.js'

/** A session that is beyond a limit, or whose role has ended, is over within a second of that. */
const EVERY_MS = 500

/** A pass that waits for longer is given up; the next one starts over. */
const LIMITS: StatementLimits = { statementMs: 2_000, idleMs: 5_000 }

/** While the same goes wrong twice a second, it is said once in this time. */
const SAID_EVERY_MS = 60_000

const STOP_MS = 1_000

export interface SqlGuard {
  /** Lets the SQL roles read the views that migrations have made, and nothing that this version takes back; what fails is logged. */
  migrated(): Promise<void>
  stop(): Promise<void>
}

type GuardLog = Pick<Logger, 'info' | 'warn'>

/** What is watched by itself: the database, or one of its replicas. */
interface Watched {
  readonly pass: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Watches the sessions of SQL roles, on a connection of its own, so that no load of requests holds it up: a role may switch
 * off its own limits. Each node does so, the other nodes' passes change nothing then. On the embedded database it does
 * nothing.
 */
export function startSqlGuard(config: Config, log: GuardLog): SqlGuard {
  const target = databaseTarget(config)
  if (target.kind !== 'postgres') return { migrated: async () => {}, stop: async () => {} }
  // The pass that uses a connection gets its error.
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

/** One line for all sessions of a pass, however many there are. */
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
