import {
  type ReceiptRequest,
  requestClaims,
  sha256,
  signReceipt,
} from '../../../platform/receipts/receipt.js'
import type { Exchange, Reply } from '../../../platform/request/exchange.js'
import { prefersReceipt, RECEIPT } from '../../../platform/request/preference.js'
import { isStream } from '../../../platform/request/reply-body.js'
import type { SigningKey } from '../../../platform/secrets/signing.js'
import { holdsScope } from '../../../policy/decide.js'
import { clockOf } from '../../../policy/principal.js'
import { SCOPE_NAMES } from '../../../policy/scopes.js'
import type { Progress } from '../progress.js'

export const RECEIPT_HEADER = 'x-receipt'

/** Signs the receipts of answers with data that ask for one. Returns their headers; null for an answer without a receipt. */
export type Receipts = (
  exchange: Exchange,
  progress: Progress,
  reply: Reply,
) => Promise<readonly string[]> | null

/** Without a key no answer has a receipt. `issuer` is the URL of the gateway. */
export function createReceipts(key: SigningKey | null, issuer: string): Receipts {
  return (exchange, progress, reply) => {
    if (key === null || !prefersReceipt(exchange)) return null
    const { operation, principal, isAsOfClock } = progress
    const { status, body, charset, headers } = reply
    // Only an answer that datasets fully determine has their versions: no part failed, and nothing was changed.
    const dataVersions = headerOf(headers, 'x-data-version')
    if (status !== 200 || operation === null || (dataVersions === null && !isAsOfClock)) return null
    const clock = clockOf(principal)
    if (body === null || isStream(body)) return null
    const claims = {
      iss: issuer,
      instant: exchange.now.toISOString(),
      clock: clock === undefined ? null : { as_of: clock.at.toISOString(), basis: clock.basis },
      operation,
      ...requestClaims(requestOf(exchange)),
      data_versions: dataVersions,
      scopes: SCOPE_NAMES.filter((scope) => holdsScope(progress, scope)),
      withheld: SCOPE_NAMES.filter((scope) => !holdsScope(progress, scope)),
      body_sha256: sha256(body, charset),
    }
    return signReceipt(claims, key).then((receipt) => [
      RECEIPT_HEADER,
      receipt,
      'preference-applied',
      RECEIPT,
    ])
  }
}

function requestOf(exchange: Exchange): ReceiptRequest {
  const { method, path, search, body } = exchange
  return {
    method: method === 'POST' ? 'POST' : 'GET', // HEAD has the headers of GET
    target: path + search,
    accept: exchange.header('accept'),
    prefer: exchange.header('prefer'),
    body: body === null ? null : body.toString(),
  }
}

/** The first value of a header, whose name is in lower case; null without it. */
export function headerOf(headers: readonly string[], name: string): string | null {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1] ?? null
  return null
}
