import { explainImoNumber, explainIsin, explainLei, type Lei, parseBic } from '../../core/identifiers.js'
import { normalizeWallet } from './wallets-model.js'

/** The kinds of identifiers in sanctions lists, each with its meaning. */
export const IDENTIFIER_KINDS = {
  lei: 'Legal entity identifier (ISO 17442).',
  isin: 'International securities identification number (ISO 6166).',
  imo: 'IMO number of a ship or a company.',
  wallet: 'Address of a crypto wallet.',
  registration: 'Number of an organisation in a public register.',
  tax_id: 'Number of a person or an organisation at a tax authority.',
  passport: 'Number of a passport or another travel document.',
  national_id: 'Number of an identity document or of a person in a public register.',
  bic: 'Business identifier code of a bank (ISO 9362).',
  mmsi: 'Maritime mobile service identity of a ship.',
  call_sign: 'Radio call sign of a ship.',
  aircraft: 'Registration, serial number or transponder code of an aircraft.',
  ticker: 'Ticker of a share.',
  other: 'Any other number that the list gives, with its name in the list.',
} as const

export type IdentifierKind = keyof typeof IDENTIFIER_KINDS

/** An identifier in the form in which it is compared. */
export interface ComparedIdentifier {
  readonly kind: IdentifierKind
  readonly value: string
  /** Country of the issuer (ISO 3166-1 alpha-2). Null if it is unknown, and for kinds that are unique in the world. */
  readonly country: string | null
}

/** An identifier of a subject. */
export interface ListIdentifier extends ComparedIdentifier {
  /** What the list calls it: for a wallet the code of the currency, e.g. XBT. */
  readonly label: string
}

/** Longer than any real identifier. */
const MAX_IDENTIFIER_LENGTH = 130

/** The text by which identifiers are compared. The value is last, because it may contain a colon. */
export function identifierKey({ kind, country, value }: ComparedIdentifier): string {
  return `${kind}:${country ?? ''}:${value}`
}

/** Converts a text to the form in which identifiers of its kind are compared, or explains what is wrong with it. */
export function parseIdentifier(
  kind: IdentifierKind,
  text: string,
  country: string | null = null,
): ComparedIdentifier | { readonly problem: string } {
  const problem = explainIdentifier(kind, text)
  if (problem !== null) return { problem }
  const value = normalizeIdentifier(kind, text)
  return { kind, value, country: NATIONAL.has(kind) ? country : null }
}

/** The kinds whose numbers are unique within a country only. */
const NATIONAL: ReadonlySet<IdentifierKind> = new Set([
  'registration',
  'tax_id',
  'passport',
  'national_id',
  'other',
])

function explainIdentifier(kind: IdentifierKind, text: string): string | null {
  if (text.length > MAX_IDENTIFIER_LENGTH) return `has more than ${MAX_IDENTIFIER_LENGTH} characters`
  if (kind === 'lei') return explainLei(text.trim())
  if (kind === 'isin') return explainIsin(text.trim())
  if (kind === 'imo') return explainImoNumber(text)
  if (kind === 'bic' && parseBic(text) === null)
    return 'is not a BIC: it must have 8 or 11 letters and digits'
  if (kind === 'mmsi' && !/^\d{9}$/.test(lettersAndDigits(text)))
    return 'is not an MMSI: it must have 9 digits'
  if (kind === 'wallet')
    return /^[A-Za-z0-9:_-]{20,}$/.test(text.trim()) ? null : 'is not the address of a wallet'
  return /\p{N}|\p{L}{3}/u.test(text) ? null : 'has neither a digit nor three letters'
}

function normalizeIdentifier(kind: IdentifierKind, text: string): string {
  if (kind === 'wallet') return normalizeWallet(text.trim())
  if (kind === 'imo') return text.replace(/\D/g, '')
  if (kind === 'bic') return parseBic(text) ?? text
  return lettersAndDigits(text)
}

/** Letters and digits in upper case. Lists and documents write the same number with different separators. */
function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The identifiers for LEIs whose check digits are verified. */
export function leiIdentifiers(leis: readonly Lei[]): readonly ListIdentifier[] {
  return leis.map((value) => ({ kind: 'lei', value, country: null, label: 'LEI' }))
}

/** Sorted, each once, because lists give the same identifiers in varying order. */
export function distinctIdentifiers(identifiers: readonly ListIdentifier[]): readonly ListIdentifier[] {
  const textOf = (identifier: ListIdentifier) => `${identifierKey(identifier)}\n${identifier.label}`
  const found = new Map(identifiers.map((identifier) => [textOf(identifier), identifier]))
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, identifier]) => identifier)
}
