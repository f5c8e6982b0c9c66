import { createHash } from 'node:crypto'
import { CompactSign, compactVerify, createLocalJWKSet, errors } from 'jose'
import { z } from 'zod'
import { KNOWLEDGE_BASES } from '../../core/as-of.js'
import type { PublicKeySet, SigningKey } from '../secrets/signing.js'

const ALGORITHM = 'EdDSA'

/** Distinguishes receipts from everything else that the same key signs. */
const TYPE = 'market-data-receipt'

/** A longer request is not repeated in its receipt, so that the receipt fits into a header. */
const MAX_REQUEST_BYTES = 4_096

const Request = z.object({
  method: z.enum(['GET', 'POST']),
  /** Path and query. */
  target: z.string(),
  accept: z.string().nullable(),
  prefer: z.string().nullable(),
  body: z.string().nullable(),
})

/** A request whose answer has a receipt. */
export type ReceiptRequest = z.infer<typeof Request>

const Claims = z.object({
  /** URL of the gateway. */
  iss: z.string(),
  /** The instant of the request, which all parts of its answer agree on. */
  instant: z.iso.datetime(),
  /** The clock of the caller's key, which the answer is as of; null for a key without one. */
  clock: z.object({ as_of: z.iso.datetime(), basis: z.enum(KNOWLEDGE_BASES) }).nullable(),
  /** The root fields, separated by commas. */
  operation: z.string(),
  /** Null for a request of more than 4,096 bytes; its hash is there anyway. */
  request: Request.nullable(),
  /** SHA-256 of the JSON of the request, 64 hex digits. */
  request_sha256: z.string(),
  /** Version of each dataset that the answer was read from, as in `X-Data-Version`; null with a clock, to which they are later facts. */
  data_versions: z.string().nullable(),
  /** The scopes of the caller, and those that the caller lacked. */
  scopes: z.array(z.string()),
  withheld: z.array(z.string()),
  /** SHA-256 of the bytes of the answer before compression, 64 hex digits. */
  body_sha256: z.string(),
})

/** What a receipt says of one answer. */
export type ReceiptClaims = z.infer<typeof Claims>

export function sha256(bytes: string | Buffer, charset: 'utf8' | 'latin1' = 'utf8'): string {
  const hash = createHash('sha256')
  return (typeof bytes === 'string' ? hash.update(bytes, charset) : hash.update(bytes)).digest('hex')
}

/** The members of a receipt that repeat its request. */
export function requestClaims(request: ReceiptRequest): Pick<ReceiptClaims, 'request' | 'request_sha256'> {
  const text = JSON.stringify(request)
  const isRepeated = Buffer.byteLength(text) <= MAX_REQUEST_BYTES
  return { request: isRepeated ? request : null, request_sha256: sha256(text) }
}

/** Returns the receipt: a compact JWS (RFC 7515), signed with Ed25519. */
export function signReceipt(claims: ReceiptClaims, { keyId, privateKey }: SigningKey): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALGORITHM, kid: keyId, typ: TYPE })
    .sign(privateKey)
}

/** One check of a receipt. */
export interface ReceiptTest {
  readonly check: 'signature' | 'body'
  readonly passed: boolean
  /** What is wrong; null for a passed check. */
  readonly note: string | null
}

/** The checks of a receipt, and what it says if its signature is valid. */
export interface CheckedReceipt {
  readonly claims: ReceiptClaims | null
  readonly checks: readonly ReceiptTest[]
}

/** Checks that a key of the set signed the receipt, and that the answer is the one it was given for. Needs no network. */
export async function checkReceipt(
  receipt: string,
  answer: string | Buffer,
  keySet: PublicKeySet,
): Promise<CheckedReceipt> {
  const claims = await readClaims(receipt, keySet)
  if (typeof claims === 'string')
    return { claims: null, checks: [{ check: 'signature', passed: false, note: claims }] }
  const isSame = sha256(answer) === claims.body_sha256
  const note = isSame ? null : 'the answer is not the one that the receipt was given for'
  return {
    claims,
    checks: [
      { check: 'signature', passed: true, note: null },
      { check: 'body', passed: isSame, note },
    ],
  }
}

/** Returns what the receipt says, or why it cannot be trusted. */
async function readClaims(receipt: string, { keys }: PublicKeySet): Promise<ReceiptClaims | string> {
  try {
    const keyOf = createLocalJWKSet({ keys: [...keys] })
    const { payload, protectedHeader } = await compactVerify(receipt.trim(), keyOf, {
      algorithms: [ALGORITHM],
    })
    if (protectedHeader.typ !== TYPE) return 'is signed, but is not a receipt'
    const claims = Claims.safeParse(JSON.parse(Buffer.from(payload).toString()))
    return claims.success ? claims.data : 'is signed, but has not the members of a receipt'
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'no key of the key set has signed it'
    if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature does not belong to it'
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return 'is not a compact JWS'
    throw error
  }
}
