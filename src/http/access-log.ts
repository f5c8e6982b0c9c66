import { Counter, Histogram, type Registry } from 'prom-client'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { GRAPHQL_PATH, isGuarded } from './paths.js'

/** From a cached answer to a request time-out, seconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** One log line and one observation per answered request; callers by account id, never by key or address. */
export function useAccessLog(options: { readonly metrics: Registry }): DoorPlugin {
  const registers = [options.metrics]
  const duration = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time from request to answer, by door, operation and status.',
    labelNames: ['door', 'operation', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  const charged = new Counter({
    name: 'gateway_units_charged_total',
    help: 'Units charged to callers, by door.',
    labelNames: ['door'],
    registers,
  })
  return {
    onResponse({ request, response, serverContext }) {
      const door = serverContext
      // A CORS preflight is answered in front of all plugins: nothing is known of it.
      if (door.requestId === undefined) return
      const pathname = new URL(request.url).pathname
      const name = pathname === GRAPHQL_PATH ? 'graphql' : isGuarded(pathname) ? 'rest' : 'pages'
      const seconds = (performance.now() - door.startedAt) / 1000
      // Several root fields would make a label per combination.
      const operation =
        door.operation === null ? 'none' : door.operation.includes(',') ? 'several' : door.operation
      duration.observe({ door: name, operation, status: String(response.status) }, seconds)
      if (door.charged > 0) charged.inc({ door: name }, door.charged)
      door.log.info(
        {
          method: request.method,
          path: pathname,
          status: response.status,
          duration_ms: Math.round(seconds * 1e5) / 100,
          operation: door.operation,
          units: door.charged,
          account_id: door.principal.kind === 'anonymous' ? null : door.principal.accountId,
        },
        'request',
      )
    },
  }
}
