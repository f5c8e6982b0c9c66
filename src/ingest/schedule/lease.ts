import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { HeldLease } from '../../platform/database/held-lease.js'
import { statement } from '../../platform/database/statement.js'
import type { Logger } from '../../platform/logger.js'

/** How long a lease lasts that is not renewed: a leader that was killed is replaced after this time and one renewal. */
const LEASE_MS = 5_000
const RENEW_MS = 1_500

/** Release at the end of the process; the lease runs out by itself when the database does not answer. */
const RELEASE_MS = 1_000

/** What one node of all on a database does alone. */
export interface Leased {
  /** Key of the row. */
  readonly name: 'schedule' | 'newsletter' | 'webhooks'
  /** For the log: what the holder does, e.g. runs the schedule. */
  readonly work: string
}

const SCHEDULE: Leased = { name: 'schedule', work: 'runs the schedule' }

/**
 * Takes the lease when it is free or has run out, and renews it when it is the caller's. Plain SQL, one statement on the
 * clock of the database: it holds on any connection, while the session lock of an advisory lock is lost behind a pooler that
 * gives each transaction another session, and outlives a node that the network has cut off.
 */
const CLAIM = statement(
  { term: 'int8' },
  `insert into schedule_lease as l (name, holder, term, expires_at)
   values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
   on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
     term = l.term + (l.holder <> excluded.holder)::int
   where l.holder = excluded.holder or l.expires_at < clock_timestamp()
   returning term`,
)

export interface LeaseOptions {
  readonly database: Database
  /** The schedule when left out. */
  readonly leased?: Leased
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** The lease has come, or has gone to another node. */
  readonly onChange: () => void
}

/** The right to do something that one node does alone: one of all on a database has it. */
export interface Lease extends HeldLease {
  stop(): Promise<void>
}

/** Takes the lease as soon as it is free, and renews it until it is stopped. */
export function startLease({ database, leased = SCHEDULE, log, onChange }: LeaseOptions): Lease {
  const { name, work } = leased
  const holder = randomUUID()
  let held: { readonly term: number; readonly untilMs: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const claim = async () => {
    const askedAtMs = performance.now()
    const [row] = await database.rows(CLAIM, [name, holder, LEASE_MS], { withinMs: LEASE_MS })
    const before = held?.term ?? null
    held = row === undefined ? null : { term: row.term, untilMs: askedAtMs + LEASE_MS }
    if (before === (held?.term ?? null)) return
    log.info({ term: held?.term ?? null }, held === null ? `another node ${work}` : work)
    onChange()
  }
  const renew = async () => {
    try {
      await claim()
    } catch (error) {
      log.warn({ err: error }, `the lease of the ${name} could not be renewed`)
    }
    if (!isStopped) timer = setTimeout(() => (current = renew()), RENEW_MS)
  }
  let current = renew()
  return {
    term: () => (held !== null && performance.now() < held.untilMs ? held.term : null),
    isLost: (term) => held?.term !== term,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await current
      const release = `update schedule_lease set expires_at = clock_timestamp() where name = $1 and holder = $2`
      await database.rows(release, [name, holder], { withinMs: RELEASE_MS }).catch(() => {
        // It runs out by itself.
      })
    },
  }
}
