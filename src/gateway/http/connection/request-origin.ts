import type { IncomingMessage } from 'node:http'
import type { OriginOf } from '../identity/origin.js'
import { requestHeader } from './request-header.js'

/** Where a request comes from, as `originOf` tells callers apart. */
export function requestOrigin(request: IncomingMessage, originOf: OriginOf): string {
  return originOf(requestHeader(request, 'x-forwarded-for') ?? undefined, request.socket.remoteAddress)
}
