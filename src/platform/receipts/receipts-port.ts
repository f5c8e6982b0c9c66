import { definePort } from '../request/ports.js'
import type { RequestContext } from '../request/request-context.js'
import type { PublicKeySet } from '../secrets/signing.js'
import type { ReceiptClaims } from './receipt.js'

/** A request that can be run again. */
export interface PreparedRerun {
  /** Units that it costs. */
  readonly units: number
  run(): Promise<unknown>
}

/** What the check of receipts needs of the gateway. */
export interface ReceiptChecks {
  /** The public keys of all signatures. */
  keySet(): Promise<PublicKeySet>
  /** Prepares the request of a receipt for this caller, as of then. Returns why it cannot be run instead. */
  prepare(claims: ReceiptClaims, context: RequestContext): Promise<PreparedRerun | string>
}

export const receiptsPort = definePort<ReceiptChecks>('receipts')
