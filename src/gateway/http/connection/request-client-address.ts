import type { IncomingMessage } from 'node:http'
import type { HashAddress } from '../identity/address-hash.js'
import { requestHeader } from './request-header.js'

/** Where a request comes from, as `hashAddress` tells callers apart. */
export function requestClientAddress(request: IncomingMessage, hashAddress: HashAddress): string {
  return hashAddress(requestHeader(request, 'x-forwarded-for') ?? undefined, request.socket.remoteAddress)
}
