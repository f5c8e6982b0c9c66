import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../policy/principal.js'
import type { AccessLog } from './access-log.js'
import { corsHeaders } from './cors.js'
import type { Question } from './question.js'

/** One request of a known caller, on its way past the doors. */
export interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly question: Question
  readonly caller: Caller
  /** Keyed hash of the caller's address. */
  readonly origin: string
  /** What its answer is kept under. */
  readonly key: string
  readonly requestId: string
  readonly now: Date
  readonly startedAt: number
}

/** The text of a header that may have come several times. */
export function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}

/** Headers that belong to the request rather than to its answer, names and values in turn. */
export function visitHeaders(
  { request, requestId }: Visit,
  limits: Readonly<Record<string, string>>,
): string[] {
  const { origin } = request.headers
  const all = ['x-request-id', requestId]
  for (const name in limits) all.push(name, String(limits[name]))
  if (origin !== undefined) all.push(...corsHeaders(origin).flat(), 'vary', 'Origin')
  return all
}

export interface VisitEnd {
  readonly status: number
  /** Root fields by comma; null where none ran. */
  readonly operation: string | null
  readonly charged: number
  readonly isKept: boolean
}

/** The line of a visit in the access log. */
export function noteVisit(accessLog: AccessLog, visit: Visit, end: VisitEnd): void {
  const { requestId, startedAt, caller } = visit
  const { method = '', url = '' } = visit.request
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  accessLog.note({ requestId, startedAt, principal: caller, method, path, ...end })
}
