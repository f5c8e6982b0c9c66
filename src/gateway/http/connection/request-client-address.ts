import type { IncomingMessage } from 'node:http'
import type { HashAddress } from '../identity/address-hash.js'
import { requestHeader } from './request-header.js'

/** The hashed address of a request's client. */
export function requestClientAddress(request: IncomingMessage, hashAddress: HashAddress): string {
  return hashAddress(requestHeader(request, 'x-forwarded-for') ?? undefined, request.socket.remoteAddress)
}
