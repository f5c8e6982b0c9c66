import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.js'
import { statement } from '../database/statement.js'
import type { Logger } from '../logger.js'

/** How long a lease lasts without renewal. Another process replaces a killed leader after this time and one renewal interval. */
const LEASE_MS = 5_000
const RENEW_MS = 1_500

/** Longest wait for the release when the process stops; a lease that is not released expires. */
const RELEASE_MS = 1_000

/** The work that only one process on a database does, by the name of its lease, with a text for the log. */
const WORK = {
  newsletter: 'sends the newsletter',
} as const

export type LeaseName = keyof typeof WORK

/**
 * Takes the lease when it is free or has expired, and renews it when it is the caller's; `name` and `holder` are SQL, `$3` the
 * milliseconds. Plain SQL, one statement on the clock of the database: it works on any connection. The session lock of an
 * advisory lock is lost behind a pooler that gives each transaction another session, and outlives a node that the network has
 * cut off.
 */
export function claimLease(name: string, holder: string): string {
  return `insert into schedule_lease as l (name, holder, term, expires_at)
   values (${name}, ${holder}, 1, clock_timestamp() + $3 * interval '1 millisecond')
   on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
     term = l.term + (l.holder <> excluded.holder)::int
   where l.holder = excluded.holder or l.expires_at < clock_timestamp()
   returning term`
}

const CLAIM = statement({ term: 'int8' }, claimLease('$1', '$2'))

/** The SQL condition that the term in `$1` is the current one of the lease. */
export function isCurrentTerm(name: LeaseName): string {
  return `exists (select from schedule_lease where name = '${name}' and term = $1)`
}

/** The right to do work that only one process on a database may do. */
export interface LeaderLease {
  /** Increases with each change of holder. Null while another process holds the lease or this one could not renew it in time. */
  term(): number | null
  /** Whether another process has held the lease since that term. */
  isLost(term: number): boolean
  /** Calls the listener when this process gets or loses the lease. */
  onChange?(listener: () => void): void
  /** Stops renewing and gives the lease back. Absent when the owner of the lease does that. */
  release?(): Promise<void>
}

/** Acquires the lease as soon as it is free and renews it until it is released. */
export function startLeaderLease(
  database: Database,
  name: LeaseName,
  log: Pick<Logger, 'info' | 'warn'>,
): Required<LeaderLease> {
  const holder = randomUUID()
  let held: { readonly term: number; readonly untilMs: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let onChange = () => {}
  const claim = async () => {
    const askedAtMs = performance.now()
    const [row] = await database.rows(CLAIM, [name, holder, LEASE_MS], { withinMs: LEASE_MS })
    const before = held?.term ?? null
    held = row === undefined ? null : { term: row.term, untilMs: askedAtMs + LEASE_MS }
    if (before === (held?.term ?? null)) return
    log.info({ term: held?.term ?? null }, held === null ? `another node ${WORK[name]}` : WORK[name])
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
    onChange: (listener) => {
      onChange = listener
    },
    release: async () => {
      isStopped = true
      clearTimeout(timer)
      await current
      const release = `update schedule_lease set expires_at = clock_timestamp() where name = $1 and holder = $2`
      await database.rows(release, [name, holder], { withinMs: RELEASE_MS }).catch(() => {
        // The lease expires.
      })
    },
  }
}
