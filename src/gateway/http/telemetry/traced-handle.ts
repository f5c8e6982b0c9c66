import type { SpanDescription, Tracing } from '../../../platform/telemetry/tracing.js'
import type { Handle } from '../node.js'
import type { AccessLog, AnsweredRequest } from '../response/access-log.js'

/** The lowest status of an error of the gateway. */
const SERVER_ERROR = 500

/** Methods that traces name. Other texts come from callers and could be anything. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Creates a span for each request, from its body to the start of its response. */
export function tracedHandle(handle: Handle, tracing: Tracing): Handle {
  return (exchange, problem) =>
    tracing.request(exchange.header('traceparent'), () => handle(exchange, problem))
}

/** Names the span of a request after its operation is known, and writes the log line. */
export function tracedAccessLog(accessLog: AccessLog, tracing: Tracing): AccessLog {
  return {
    note: (answered) => {
      tracing.describe(describeRequest(answered))
      if (answered.status >= SERVER_ERROR) tracing.fail()
      accessLog.note(answered)
    },
  }
}

function describeRequest(answered: AnsweredRequest): SpanDescription {
  const { transport, operation, status, requestId, charged, isCacheHit } = answered
  const method = METHODS.has(answered.method) ? answered.method : '_OTHER'
  return {
    name: [method, transport, ...(operation === null ? [] : [operation])].join(' '),
    attributes: {
      'http.request.method': method,
      'http.response.status_code': status,
      'gateway.transport': transport,
      'gateway.operation': operation ?? 'none',
      'gateway.request_id': requestId,
      'gateway.units': charged,
      'gateway.cache_hit': isCacheHit,
    },
  }
}
