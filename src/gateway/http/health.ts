import type { ReadinessProbe } from '../../checks/check.js'
import { ApiError } from '../../core/errors.js'
import { answeredWithin } from '../../platform/database/connection/answered-within.js'
import type { Logger } from '../../platform/logger.js'
import type { Reply } from '../../platform/request/exchange.js'
import { JSON_HEADERS } from '../../platform/request/json-type.js'
import { settledWithin } from '../../platform/settled-within.js'
import type { Principal } from '../../policy/principal.js'
import type { OpenSite } from './pipeline.js'

export interface HealthChecks {
  readonly ready: readonly ReadinessProbe[]
  /** Whether a process that was ready becomes not ready while the database does not answer. */
  readonly needsDatabase: boolean
  /** True if the process is stopping: it finishes running requests, but should get no new ones. */
  readonly isDraining: () => boolean
  readonly version: string
  readonly log: Logger
  /** Details that `GET /readyz` adds for a caller with the scope admin. */
  readonly details: () => Promise<object>
}

/** Timeout of a check. Probes wait a second or two, and a database that hangs never responds. */
const CHECK_MS = 2_000

/**
 * `GET /healthz` responds if the process runs. `GET /readyz` checks database, migrations and Redis. Both are open to anyone, so
 * concurrent requests share one run of the checks. An operator's key adds `details`; a wrong key adds nothing.
 */
export function health(checks: HealthChecks): OpenSite {
  let running: Promise<Readiness> | null = null
  const state = { wasReady: false }
  return ({ method, path }, caller) => {
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === '/healthz') return reply({ status: 'ok', version: checks.version }, 200)
    if (path !== '/readyz') return null
    running ??= readiness(checks, state).finally(() => {
      running = null
    })
    return withDetails(checks, caller, running)
  }
}

async function withDetails(
  { details, log }: HealthChecks,
  caller: () => Promise<Principal>,
  readiness: Promise<Readiness>,
): Promise<Reply> {
  const loading = detailsFor(caller, details).catch((error: unknown) => {
    log.warn({ err: error }, 'the details of /readyz could not be read')
    return null
  })
  const body = await readiness
  // With a hanging database the checks take the whole timeout, so the details must not take longer.
  const added = (await settledWithin(CHECK_MS, loading)) ? await loading : null
  const status = body.status === 'ready' ? 200 : 503
  return reply(added === null ? body : { ...body, details: added }, status)
}

async function detailsFor(
  caller: () => Promise<Principal>,
  details: () => Promise<object>,
): Promise<object | null> {
  const principal = await caller()
  return principal.kind !== 'anonymous' && principal.scopes.has('admin') ? details() : null
}

const HEADERS = [...JSON_HEADERS, 'cache-control', 'no-store']

function reply(body: object, status: number): Reply {
  return { status, headers: HEADERS, body: JSON.stringify(body) }
}

interface Readiness {
  readonly status: 'ready' | 'not_ready' | 'draining'
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>
  /** The parts without which the process is ready: it answers from its caches and its pages. */
  readonly missing?: readonly string[]
}

async function readiness(checks: HealthChecks, state: { wasReady: boolean }): Promise<Readiness> {
  const outcomes = await Promise.all(checks.ready.map((probe) => outcomeOf(probe, checks.log)))
  const results = Object.fromEntries(
    outcomes.map(({ name, fault }) => [name, fault === null ? ('ok' as const) : ('failed' as const)]),
  )
  if (checks.isDraining()) return { status: 'draining', checks: results }
  const faults = outcomes.filter(({ fault }) => fault !== null)
  const needed = faults.filter(({ isOptional }) => !isOptional)
  if (needed.length === 0) state.wasReady = true
  // All nodes share the database: a balancer without any node would answer nothing.
  const canAnswer =
    state.wasReady && !checks.needsDatabase && needed.every(({ fault }) => fault === 'unreachable')
  if (!canAnswer && needed.length > 0) return { status: 'not_ready', checks: results }
  const missing = faults.map(({ name }) => name)
  return { status: 'ready', checks: results, ...(missing.length === 0 ? {} : { missing }) }
}

type Fault = 'unreachable' | 'refused'

/** The log gets the error; the probe learns only that the check failed. */
async function outcomeOf({ name, isOptional, run }: ReadinessProbe, log: Logger) {
  const result = (fault: Fault | null) => ({ name, isOptional, fault })
  try {
    await answeredWithin(CHECK_MS, run())
    return result(null)
  } catch (error) {
    log.warn({ err: error, check: name }, 'readiness check failed')
    return result(
      error instanceof ApiError && error.code === 'service_unavailable' ? 'unreachable' : 'refused',
    )
  }
}
