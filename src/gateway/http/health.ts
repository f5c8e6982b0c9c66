import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../platform/logger.js'
import type { Reply } from '../../platform/request/exchange.js'
import { JSON_HEADERS } from '../../platform/request/json-type.js'
import { settledWithin } from '../../platform/settled-within.js'
import type { Principal } from '../../policy/principal.js'
import type { OpenSite } from './pipeline.js'

export interface HealthChecks {
  /** Named checks that must pass before the process accepts traffic. */
  readonly ready: Readonly<Record<string, () => Promise<void>>>
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
 * `GET /healthz` responds if the process runs. `GET /readyz` checks database and migrations. Both are open to anyone, so
 * concurrent requests share one run of the checks. An operator's key adds `details`; a wrong key adds nothing.
 */
export function health(checks: HealthChecks): OpenSite {
  let running: Promise<Readiness> | null = null
  return ({ method, path }, caller) => {
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === '/healthz') return reply({ status: 'ok', version: checks.version }, 200)
    if (path !== '/readyz') return null
    running ??= readiness(checks).finally(() => {
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
}

async function readiness(checks: HealthChecks): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks.ready).map(
      async ([name, check]) => [name, await outcome(name, check, checks.log)] as const,
    ),
  )
  const isReady = !checks.isDraining() && results.every(([, result]) => result === 'ok')
  const status = checks.isDraining() ? 'draining' : isReady ? 'ready' : 'not_ready'
  return { status, checks: Object.fromEntries(results) }
}

/** The log gets the error; the probe learns only that the check failed. */
async function outcome(name: string, check: () => Promise<void>, log: Logger): Promise<'ok' | 'failed'> {
  const late = new AbortController()
  try {
    const timeout = sleep(CHECK_MS, null, { signal: late.signal }).then(() => {
      throw new Error(`no result within ${CHECK_MS} ms`)
    })
    await Promise.race([check(), timeout])
    return 'ok'
  } catch (error) {
    log.warn({ err: error, check: name }, 'readiness check failed')
    return 'failed'
  } finally {
    late.abort()
  }
}
