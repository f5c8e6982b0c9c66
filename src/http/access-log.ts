import { Counter, Histogram, type Registry } from 'prom-client'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { DoorContext } from '../platform/door-context.js'
import type { Logger } from '../platform/logger.js'
import { GRAPHQL_PATH, isGuarded } from './paths.js'

/** From a cached answer to a request time-out, seconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** What is told of an answered request; the caller by account id, never by key or address. */
export interface AnsweredRequest
  extends Pick<DoorContext, 'requestId' | 'startedAt' | 'principal' | 'operation' | 'charged'> {
  readonly method: string
  readonly path: string
  readonly status: number
  /** From the cache of answers. */
  readonly isKept: boolean
}

export interface AccessLog {
  note(answered: AnsweredRequest): void
}

/** One log line and one observation per answered request. */
export function createAccessLog(options: { readonly metrics: Registry; readonly log: Logger }): AccessLog {
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
  const kept = new Counter({
    name: 'gateway_kept_answers_total',
    help: 'Answers given from the cache of answers, by door.',
    labelNames: ['door'],
    registers,
  })
  // Finding a histogram by its labels costs more than observing; there are as many as doors × operations × statuses.
  const durations = new Map<string, Histogram.Internal<string>>()
  const durationOf = (door: string, operation: string, status: number) => {
    const name = `${door} ${operation} ${status}`
    const known = durations.get(name) ?? duration.labels({ door, operation, status: String(status) })
    durations.set(name, known)
    return known
  }
  return {
    note: (answered) => {
      const { path, principal } = answered
      const door = path === GRAPHQL_PATH ? 'graphql' : isGuarded(path) ? 'rest' : 'pages'
      const seconds = (performance.now() - answered.startedAt) / 1000
      // Several root fields would make a label per combination.
      const operation = answered.operation?.includes(',') ? 'several' : (answered.operation ?? 'none')
      durationOf(door, operation, answered.status).observe(seconds)
      if (answered.charged > 0) charged.inc({ door }, answered.charged)
      if (answered.isKept) kept.inc({ door })
      options.log.info(
        {
          request_id: answered.requestId,
          method: answered.method,
          path,
          status: answered.status,
          duration_ms: Math.round(seconds * 1e5) / 100,
          operation: answered.operation,
          units: answered.charged,
          kept: answered.isKept,
          account_id: principal.kind === 'anonymous' ? null : principal.accountId,
        },
        'request',
      )
    },
  }
}

/** Notes every request that the doors answer. */
export function useAccessLog({ accessLog }: { readonly accessLog: AccessLog }): DoorPlugin {
  return {
    onResponse({ request, response, serverContext }) {
      const door = serverContext
      // A CORS preflight is answered in front of all plugins: nothing is known of it.
      if (door.requestId === undefined) return
      const { requestId, startedAt, principal, operation, charged } = door
      const path = new URL(request.url).pathname
      const { method } = request
      const { status } = response
      accessLog.note({
        requestId,
        startedAt,
        principal,
        operation,
        charged,
        method,
        path,
        status,
        isKept: false,
      })
    },
  }
}
