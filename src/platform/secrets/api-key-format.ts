import { crc32 } from 'node:zlib'

/** A well-formed API key with a valid checksum; created only by `makeApiKey` and `parseApiKey`. */
export type ApiKeyText = string & { readonly __brand: 'ApiKeyText' }

/** `live` for production, `test` for development installations. */
export type ApiKeyMode = 'live' | 'test'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 characters of base62 hold 178 bits. */
const SECRET_LENGTH = 30
/** 62^6 > 2^32, so 6 characters hold any CRC32. */
const CHECKSUM_LENGTH = 6
const PREFIX_LENGTH = 16
const KEY_SHAPE = /^mdg_(?:live|test)_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/

/** A new key `mdg_<mode>_<30 base62>_<6 base62 CRC32>`; `randomBytes` must be a cryptographic source. */
export function makeApiKey(mode: ApiKeyMode, randomBytes: (size: number) => Uint8Array): ApiKeyText {
  const body = `mdg_${mode}_${randomBase62(SECRET_LENGTH, randomBytes)}`
  return `${body}_${checksum(body)}` as ApiKeyText // has the shape and the checksum by construction
}

/** Parses a key. Returns null if `explainApiKey` finds a problem, so that a mistyped key needs no look-up. */
export function parseApiKey(text: string): ApiKeyText | null {
  return explainApiKey(text) === null ? (text as ApiKeyText) : null
}

/** What is wrong with the text of a key, or null. A wrong checksum means a mistyped key. */
export function explainApiKey(text: string): string | null {
  if (!KEY_SHAPE.test(text)) {
    return 'is not an API key; a key is mdg_live_ or mdg_test_, then 30 letters or digits, then _ and 6 letters or digits'
  }
  const end = text.lastIndexOf('_')
  return checksum(text.slice(0, end)) === text.slice(end + 1)
    ? null
    : 'was mistyped, because its checksum does not match; copy the whole key again'
}

/** The first 16 characters. They identify a key for its owner, but contain only 7 of its 30 secret characters. */
export function keyPrefix(key: ApiKeyText): string {
  return key.slice(0, PREFIX_LENGTH)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * Random letters and digits, 5.95 bits each; `randomBytes` must be a cryptographic source. Bytes from 248 on are dropped:
 * 248 = 4 × 62, so the remainder of the others is even over all digits.
 */
export function randomBase62(length: number, randomBytes: (size: number) => Uint8Array): string {
  let digits = ''
  while (digits.length < length) {
    for (const byte of randomBytes(length - digits.length)) {
      if (byte < 248) digits += BASE62.charAt(byte % 62)
    }
  }
  return digits
}
