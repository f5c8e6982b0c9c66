import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { parseUuid } from '../../core/identifiers.js'
import { acceptedPeppers } from './peppers.js'

/** Purposes of links that work without a login. */
export type LinkPurpose = 'newsletter-confirm' | 'newsletter-unsubscribe'

export interface SignedLink {
  readonly accountId: string
  /** The instant of its creation, in whole milliseconds. */
  readonly at: Date
}

/** Creates and checks the tokens of links in mails. They contain account and purpose, and no personal data. */
export interface SignedLinks {
  /** Creates a token: 72 characters of base64url. */
  sign(purpose: LinkPurpose, link: SignedLink): string
  /** Returns null for a token that is malformed, forged or for another purpose. */
  verify(purpose: LinkPurpose, token: string): SignedLink | null
  /** A keyed hash of a text as the name of a mail: 32 hex digits. */
  opaqueName(text: string): string
}

const UUID_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32
const TOKEN = /^[\w-]{72}$/

/**
 * Derives the signing key from the pepper by HKDF (RFC 5869). The current pepper signs; all accepted ones verify, so links stop
 * working when their pepper is accepted no longer.
 */
export function createSignedLinks(pepper: string, previous: string | null = null): SignedLinks {
  const [signing, ...others] = acceptedPeppers(pepper, previous).map(linkMac)
  if (signing === undefined) throw new Error('there is no pepper')
  const isSigned = (purpose: LinkPurpose, payload: Uint8Array, mac: Uint8Array) =>
    [signing, ...others].some((macOf) => timingSafeEqual(mac, macOf(purpose, payload)))
  return {
    sign: (purpose, { accountId, at }) => {
      const payload = Buffer.alloc(UUID_BYTES + TIME_BYTES)
      payload.write(accountId.replaceAll('-', ''), 'hex')
      payload.writeUIntBE(at.getTime(), UUID_BYTES, TIME_BYTES)
      return Buffer.concat([payload, signing(purpose, payload)]).toString('base64url')
    },
    verify: (purpose, token) => {
      if (!TOKEN.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const payload = bytes.subarray(0, UUID_BYTES + TIME_BYTES)
      if (!isSigned(purpose, payload, bytes.subarray(payload.length))) return null
      const hex = payload.toString('hex', 0, UUID_BYTES)
      const accountId = parseUuid(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
      const at = new Date(payload.readUIntBE(UUID_BYTES, TIME_BYTES))
      return accountId === null ? null : { accountId, at }
    },
    opaqueName: (text) => signing('name', text).toString('hex', 0, UUID_BYTES),
  }
}

/** Computes the MAC of a payload for a purpose. */
function linkMac(pepper: string): (purpose: string, payload: Uint8Array | string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', pepper, '', 'market-data-gateway links in mails', MAC_BYTES))
  return (purpose, payload) => createHmac('sha256', key).update(`${purpose}\0`).update(payload).digest()
}
