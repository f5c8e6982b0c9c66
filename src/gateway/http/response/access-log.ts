import { Counter, type Registry } from 'prom-client'
import type { Logger } from '../../../platform/logger.js'
import { COMPAT_INTERFACES } from '../../../policy/compat-interfaces.js'
import type { Principal } from '../../../policy/principal.js'
import { RequestDurations } from './request-durations.js'

/** The transports that metrics distinguish. */
export const TRANSPORTS = ['rest', 'graphql', 'pages', ...COMPAT_INTERFACES] as const
export type TransportName = (typeof TRANSPORTS)[number]

/** A request and its response. The log identifies the caller by account id, never by key or address. */
export interface AnsweredRequest {
  readonly transport: TransportName
  /** Path template of the route; null for pages and unknown paths. */
  readonly route: string | null
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number
  readonly principal: Principal
  /** Root fields, separated by commas; null if none ran. */
  readonly operation: string | null
  readonly charged: number
  readonly isCacheHit: boolean
}

export interface AccessLog {
  note(answered: AnsweredRequest): void
}

/** Load balancers request these every second or two, so they are logged at debug level only. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Writes one log line and records one observation per request. */
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

/** Sums since the last scrape. Adding to the counter of prom-client costs more per request than the rest of the log entry. */
type Total = Record<TransportName, number>

/** Creates a counter by transport that adds the total when it is scraped. */
function createTotal(name: string, help: string, metrics: Registry): Total {
  // One member per transport.
  const total = Object.fromEntries(TRANSPORTS.map((transport) => [transport, 0])) as Total
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

/** Formats the line by hand, because the logger's serializer took a seventh of the time of a cached response. */
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
