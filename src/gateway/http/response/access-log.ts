import { Counter, type Registry } from 'prom-client'
import type { Logger } from '../../../platform/logger.js'
import type { Principal } from '../../../policy/principal.js'
import { RequestDurations } from './request-durations.js'

/** How a request came in, for the labels of metrics. */
export const TRANSPORTS = ['rest', 'graphql', 'pages'] as const
export type TransportName = (typeof TRANSPORTS)[number]

/** An answered request; the caller by account id, never by key or address. */
export interface AnsweredRequest {
  readonly transport: TransportName
  /** The route's path, its arguments named; null for pages and what does not exist. */
  readonly route: string | null
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Milliseconds of the steady clock. */
  readonly startedAt: number
  readonly principal: Principal
  /** Root fields by comma; null where none ran. */
  readonly operation: string | null
  readonly charged: number
  readonly isCacheHit: boolean
}

export interface AccessLog {
  note(answered: AnsweredRequest): void
}

/** Balancers ask these every second or two: their lines would bury the others. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** One log line and one observation per answered request. */
export function createAccessLog(options: {
  readonly metrics: Registry
  readonly log: Pick<Logger, 'writeLine' | 'debug'>
}): AccessLog {
  const durations = new RequestDurations(options.metrics)
  const charged = createTotal(
    'gateway_units_charged_total',
    'Units charged to callers, by transport.',
    options.metrics,
  )
  const hits = createTotal(
    'gateway_cache_hits_total',
    'Responses from the cache, by transport.',
    options.metrics,
  )
  return {
    note: (answered) => {
      const { transport } = answered
      const seconds = (performance.now() - answered.startedAt) / 1000
      durations.add(answered, seconds)
      if (answered.charged > 0) charged[transport] += answered.charged
      if (answered.isCacheHit) hits[transport] += 1
      if (PROBES.has(answered.path))
        options.log.debug({ path: answered.path, status: answered.status }, 'request')
      else options.log.writeLine(lineOf(answered, seconds))
    },
  }
}

/** Figures since a counter was last read: adding to the counter itself costs more each time than all else that is noted. */
type Total = Record<TransportName, number>

/** A counter by transport, to which the total is added when it is read. */
function createTotal(name: string, help: string, metrics: Registry): Total {
  const total: Total = { rest: 0, graphql: 0, pages: 0 }
  new Counter({
    name,
    help,
    labelNames: ['transport'],
    registers: [metrics],
    collect() {
      for (const transport of TRANSPORTS) {
        this.inc({ transport }, total[transport])
        total[transport] = 0
      }
    },
  })
  return total
}

/** Written by hand: of a cached response's time a seventh went into the logger's own serializer. */
function lineOf(answered: AnsweredRequest, seconds: number): string {
  const { requestId, method, path, status, operation, charged, isCacheHit, principal } = answered
  const account = principal.kind === 'anonymous' ? 'null' : `"${principal.accountId}"`
  const duration = Math.round(seconds * 1e5) / 100
  return (
    `"request_id":"${requestId}","method":${JSON.stringify(method)},"path":${JSON.stringify(path)},` +
    `"status":${status},"duration_ms":${duration},"operation":${operation === null ? 'null' : `"${operation}"`},` +
    `"units":${charged},"cache_hit":${isCacheHit},"account_id":${account},"msg":"request"`
  )
}
