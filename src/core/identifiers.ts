import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

// The formats of identifiers, without their check digits.
export const ISIN_SHAPE = /^[A-Z]{2}[A-Z0-9]{9}[0-9]$/
export const FIGI_SHAPE = /^[B-DF-HJ-NP-TV-Z]{2}G[B-DF-HJ-NP-TV-Z0-9]{8}[0-9]$/
export const SLUG_SHAPE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
export const STORED_MIC_SHAPE = /^[A-Z0-9]{4}$/
export const STORED_CIK_SHAPE = /^[0-9]{10}$/

/** Legal entity identifier, ISO 17442: 20 characters, upper case, check digits right. */
export type Lei = string & { readonly __brand: 'Lei' }
/** International securities identification number, ISO 6166: 12 characters, upper case, check digit right. */
export type Isin = string & { readonly __brand: 'Isin' }
/** Financial instrument global identifier, OMG FIGI: 12 characters, upper case, check digit right. */
export type Figi = string & { readonly __brand: 'Figi' }
/** Three upper-case letters; the currency may be unknown. */
export type CurrencyCode = string & { readonly __brand: 'CurrencyCode' }
/** Lower-case words joined by hyphens, 1 to 64 characters. */
export type Slug = string & { readonly __brand: 'Slug' }
/** Exchange symbol, upper case, 1 to 20 characters. */
export type Ticker = string & { readonly __brand: 'Ticker' }
/** Market identifier code, ISO 10383: four upper-case letters or digits. */
export type Mic = string & { readonly __brand: 'Mic' }
/** SEC central index key: ten digits, zero padded. */
export type Cik = string & { readonly __brand: 'Cik' }
/** Business identifier code (ISO 9362) of an institution, or of a branch: 8 or 11 characters, upper case. */
export type Bic = string & { readonly __brand: 'Bic' }
/** Address on an EVM chain: 0x and 40 hexadecimal digits, lower case. */
export type EvmAddress = string & { readonly __brand: 'EvmAddress' }

// Each brand is created by a cast below, right after its explain function found no problem.

/** The LEI in upper case; null if `explainLei` finds a problem. */
export function parseLei(text: string): Lei | null {
  return explainLei(text) === null ? (upperCase(text) as Lei) : null
}

/** What is wrong with an LEI; null if it is valid. ISO 17442 with ISO/IEC 7064 MOD 97-10. */
export function explainLei(text: string): string | null {
  const lei = upperCase(text)
  if (!/^[A-Z0-9]{18}[0-9]{2}$/.test(lei)) {
    return 'must be an LEI: 18 letters or digits and 2 check digits'
  }
  // Check digits are 98 minus a remainder of 0..96, so 00, 01 and 99 are never issued even if mod 97 matches.
  const issued = !['00', '01', '99'].includes(lei.slice(18))
  return issued && mod97(lei) === 1 ? null : 'is not an LEI: the check digits do not match (ISO 17442)'
}

/** The ISIN in upper case; null if `explainIsin` finds a problem. */
export function parseIsin(text: string): Isin | null {
  return explainIsin(text) === null ? (upperCase(text) as Isin) : null
}

/** What is wrong with an ISIN; null if it is valid. ISO 6166: Luhn over the digits, letters as 10..35. */
export function explainIsin(text: string): string | null {
  const isin = upperCase(text)
  if (!ISIN_SHAPE.test(isin)) {
    return 'must be an ISIN: 2 letters, 9 letters or digits and a check digit'
  }
  const digits = Array.from(isin, characterValue).join('')
  return luhnSum(digits) % 10 === 0 ? null : 'is not an ISIN: the check digit does not match (ISO 6166)'
}

/**
 * What is wrong with the IMO number of a ship or a company (IMO Resolutions A.1117 and MSC.160); null if it is valid. The
 * check digit of a ship is the last digit of the sum of its digits times 7 to 2. That of a company is 11 minus the sum of its
 * digits times 8, 6, 4, 2, 9 and 7, modulo 11 and 10.
 */
export function explainImoNumber(text: string): string | null {
  const number = withoutImoPrefix(text)
  if (!/^[0-9]{7}$/.test(number))
    return 'must be an IMO number: seven digits, with or without IMO before them'
  const digits = Array.from(number, Number)
  const sum = (weights: readonly number[]) =>
    weights.reduce((total, weight, at) => total + weight * (digits[at] ?? 0), 0)
  const ofShip = sum([7, 6, 5, 4, 3, 2]) % 10
  const ofCompany = (11 - (sum([8, 6, 4, 2, 9, 7]) % 11)) % 10
  return [ofShip, ofCompany].includes(digits[6] ?? -1)
    ? null
    : 'is not an IMO number: the check digit does not match that of a ship or a company'
}

function withoutImoPrefix(text: string): string {
  return text.trim().replace(/^IMO[\s:.-]*(?:No\.?\s*)?/i, '')
}

/** The code in upper case, that of a head office without its branch code XXX; null if it has another form (ISO 9362). */
export function parseBic(text: string): Bic | null {
  const code = upperCase(text.trim()).replace(/^(.{8})XXX$/, '$1')
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(code) ? (code as Bic) : null
}

/** The FIGI in upper case; null if `explainFigi` finds a problem. */
export function parseFigi(text: string): Figi | null {
  return explainFigi(text) === null ? (upperCase(text) as Figi) : null
}

/** What is wrong with a FIGI; null if it is valid. OMG FIGI 6.1.2: no vowels, G third, mod 10 double-add-double. */
export function explainFigi(text: string): string | null {
  const figi = upperCase(text)
  if (!FIGI_SHAPE.test(figi)) {
    return 'must be a FIGI: 2 consonants, G, 8 consonants or digits and a check digit'
  }
  // Never issued, so that no FIGI can be mistaken for an ISIN of these countries.
  if (/^(BS|BM|GG|GB|GH|KY|VG)/.test(figi)) return `is not a FIGI: none begins with ${figi.slice(0, 2)}`
  return figiCheckDigit(figi) === characterValue(figi.slice(11))
    ? null
    : 'is not a FIGI: the check digit does not match'
}

/** The code in upper case; null if `explainCurrencyCode` finds a problem. */
export function parseCurrencyCode(text: string): CurrencyCode | null {
  return explainCurrencyCode(text) === null ? (upperCase(text) as CurrencyCode) : null
}

/** What is wrong with the format of a currency code; null if it is valid. */
export function explainCurrencyCode(text: string): string | null {
  return /^[A-Za-z]{3}$/.test(text) ? null : 'must be a currency code of three letters, such as USD'
}

/** The slug exactly as given. Case is not corrected, so that a ticker is not mistaken for a slug. */
export function parseSlug(text: string): Slug | null {
  return explainSlug(text) === null ? (text as Slug) : null
}

/** Paths beside /v1/assets/{id}. An asset with such a slug would be unreachable. */
const RESERVED_SLUGS: readonly string[] = ['index', 'search']

/** What is wrong with a slug; null if it is valid. */
export function explainSlug(text: string): string | null {
  if (RESERVED_SLUGS.includes(text)) return `must not be ${text}, which is a reserved path`
  return text.length <= 64 && SLUG_SHAPE.test(text)
    ? null
    : 'must be a slug: lower-case letters and digits joined by hyphens, at most 64, such as bitcoin'
}

/** The ticker in upper case; null if `explainTicker` finds a problem. */
export function parseTicker(text: string): Ticker | null {
  return explainTicker(text) === null ? (upperCase(text) as Ticker) : null
}

/** What is wrong with the format of a ticker; null if it is valid. */
export function explainTicker(text: string): string | null {
  return /^[A-Z0-9][A-Z0-9.\-=^]{0,19}$/.test(upperCase(text))
    ? null
    : 'must be a ticker: 1 to 20 letters, digits or . - = ^, beginning with a letter or digit'
}

/** The code in upper case; null if `explainMic` finds a problem. */
export function parseMic(text: string): Mic | null {
  return explainMic(text) === null ? (upperCase(text) as Mic) : null
}

/** What is wrong with the format of a MIC; null if it is valid. */
export function explainMic(text: string): string | null {
  return /^[A-Za-z0-9]{4}$/.test(text) ? null : 'must be a market identifier code of four letters or digits'
}

/** The key padded with zeros to ten digits; null if `explainCik` finds a problem. */
export function parseCik(text: string): Cik | null {
  return explainCik(text) === null ? (text.padStart(10, '0') as Cik) : null
}

/** What is wrong with a CIK; null if it is valid. */
export function explainCik(text: string): string | null {
  return /^[0-9]{1,10}$/.test(text) && /[1-9]/.test(text) ? null : 'must be a CIK: up to ten digits, not zero'
}

/** The address in lower case; null if `explainEvmAddress` finds a problem. */
export function parseEvmAddress(text: string): EvmAddress | null {
  return explainEvmAddress(text) === null ? (text.toLowerCase() as EvmAddress) : null
}

/** A known address, such as a constant. Throws RangeError if it is invalid. */
export function evmAddress(text: string): EvmAddress {
  const address = parseEvmAddress(text)
  if (address === null) throw new RangeError(`"${text.slice(0, 60)}" ${explainEvmAddress(text)}`)
  return address
}

/** What is wrong with an address; null if it is valid. EIP-55: mixed case is a checksum, a single case is not. */
export function explainEvmAddress(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'must be an address: 0x and 40 hexadecimal digits'
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  if (digits === lower || digits === digits.toUpperCase()) return null
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  const written = Array.from(lower, (digit, at) =>
    characterValue(hash[at] ?? '0') >= 8 ? digit.toUpperCase() : digit,
  ).join('')
  return digits === written ? null : 'is not an address: the capital letters do not match (EIP-55)'
}

/** ASCII letters only, because toUpperCase would turn `ſ` into S. */
function upperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/** 0..9 for digits, 10..35 for A..Z, as in all these standards. */
function characterValue(character: string): number {
  return Number.parseInt(character, 36)
}

function mod97(text: string): number {
  return Array.from(text, characterValue).reduce(
    (rest, value) => (rest * (value > 9 ? 100 : 10) + value) % 97,
    0,
  )
}

/** Luhn: from the right, every second digit is doubled; the sum of all resulting digits. */
function luhnSum(digits: string): number {
  return Array.from(digits, Number)
    .reverse()
    .reduce((sum, digit, place) => sum + (place % 2 === 0 ? digit : digitSum(digit * 2)), 0)
}

/** Unlike in an ISIN, the value of a letter is doubled as a whole before its digits are summed. */
function figiCheckDigit(figi: string): number {
  const sum = Array.from(figi.slice(0, 11), characterValue).reduce(
    (total, value, place) => total + digitSum(place % 2 === 0 ? value : value * 2),
    0,
  )
  return (10 - (sum % 10)) % 10
}

/** Sum of the digits of a number below 100. */
function digitSum(value: number): number {
  return Math.floor(value / 10) + (value % 10)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A UUID (RFC 9562) of any version in lower case, from text in any case; null if it is invalid. */
export function parseUuid(text: string): string | null {
  const uuid = text.toLowerCase()
  return UUID.test(uuid) ? uuid : null
}
