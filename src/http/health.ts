import { Response } from '@whatwg-node/fetch'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { Logger } from '../platform/logger.js'

export interface HealthChecks {
  /** Named checks that must pass before traffic is wanted here. */
  readonly ready: Readonly<Record<string, () => Promise<void>>>
  /** True once the process is draining: it answers what it has, but wants nothing new. */
  readonly isDraining: () => boolean
  readonly version: string
  readonly log: Logger
}

const NO_STORE = { 'cache-control': 'no-store' }

/** `GET /healthz`: the process answers. `GET /readyz`: database and migrations are as they must be. Open to anyone. */
export function useHealth(checks: HealthChecks): DoorPlugin {
  return {
    async onRequest({ request, url, endResponse }) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return
      if (url.pathname === '/healthz') {
        endResponse(Response.json({ status: 'ok', version: checks.version }, { headers: NO_STORE }))
      } else if (url.pathname === '/readyz') {
        const body = await readiness(checks)
        endResponse(Response.json(body, { status: body.status === 'ready' ? 200 : 503, headers: NO_STORE }))
      }
    },
  }
}

async function readiness(checks: HealthChecks) {
  const results = await Promise.all(
    Object.entries(checks.ready).map(
      async ([name, check]) => [name, await outcome(name, check, checks.log)] as const,
    ),
  )
  const isReady = !checks.isDraining() && results.every(([, result]) => result === 'ok')
  const status = checks.isDraining() ? 'draining' : isReady ? 'ready' : 'not_ready'
  return { status, checks: Object.fromEntries(results) }
}

/** What failed is for the log; the probe learns only that it did. */
async function outcome(name: string, check: () => Promise<void>, log: Logger): Promise<'ok' | 'failed'> {
  try {
    await check()
    return 'ok'
  } catch (error) {
    log.warn({ err: error, check: name }, 'readiness check failed')
    return 'failed'
  }
}
