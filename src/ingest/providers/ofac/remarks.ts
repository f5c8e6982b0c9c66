import type { IsoDate } from '../../../core/time.js'
import {
  type IdentifierKind,
  type ListIdentifier,
  leiIdentifiers,
} from '../../../domains/screening/identifiers-model.js'
import { findLeiCodes, parseLeiCodes } from '../../../domains/screening/model.js'
import { readListedIdentifier, type WrittenIdentifier } from '../../bodies/screening/listed-subject.js'
import { splitNameInBrackets } from '../../bodies/screening/name-in-brackets.js'
import { parseWrittenDay } from '../../bodies/written-day.js'
import { quoted } from '../../feed.js'
import LABELS from './remark-labels.json' with { type: 'json' }

/** Blanks are lost where a text is split in two, and do not count. */
function withoutBlanks(label: string): string {
  return label.replace(/\s/g, '').toLowerCase()
}

/** Kinds by label. Null: the label is known and names no identifier. */
const KINDS: ReadonlyMap<string, IdentifierKind | null> = new Map(
  // Safe: a test compares the kinds of the table with those of the model.
  Object.entries(LABELS).map(([label, kind]) => [withoutBlanks(label), kind as IdentifierKind | null]),
)

const LONGEST_LABEL = Math.max(...Array.from(KINDS.keys(), (label) => label.length))

const WALLET = /^(?:alt\.\s*)?Digital\s*Currency\s*Address\s*-\s*(.*)$/is

const LISTING_DATE = /Listing\s*Date\s*\([^)]*\):\s*(\d{1,2} [A-Za-z]{3} \d{4})/g

/** A text that looks like an identifier: five letters or digits with at least three digits, not in a day or an address of a page. */
const NUMBER_LIKE = /(?<![\w/.@-])(?=[\w/-]*(?:\d[\w/-]*){3})[\w/-]{5,}/

/** An LEI has 20 characters; OFAC uses the label for shorter numbers of the Dutch trade register too. */
const LEI_LENGTH = 20

export interface Remarks {
  readonly identifiers: readonly ListIdentifier[]
  /** Why identifiers are not stored, or not as they are written. */
  readonly refused: readonly string[]
  /** Labels of texts that look like identifiers and that no rule reads. */
  readonly unread: readonly string[]
  /** The latest stated day of listing; null without one. */
  readonly listedOn: IsoDate | null
}

/**
 * Parses the remarks on a subject: parts with a label and a value, separated by semicolons. `text` is that of the list with its
 * continuation in the comments.
 */
export function readRemarks(text: string): Remarks {
  const identifiers: ListIdentifier[] = []
  const refused: string[] = []
  const unread: string[] = []
  for (const part of text.split(';')) {
    const read = readPart(part.trim().replace(/\.$/, ''))
    identifiers.push(...read.identifiers)
    refused.push(...read.refused)
    if (read.unread !== null) unread.push(read.unread)
  }
  const days = [...text.matchAll(LISTING_DATE)].flatMap(([, day = '']) => parseWrittenDay(day) ?? [])
  return { identifiers, refused, unread, listedOn: days.sort().at(-1) ?? null }
}

interface Part {
  readonly identifiers: readonly ListIdentifier[]
  readonly refused: readonly string[]
  readonly unread: string | null
}

const NOTHING: Part = { identifiers: [], refused: [], unread: null }

function readPart(part: string): Part {
  const [, wallet] = WALLET.exec(part) ?? []
  if (wallet !== undefined) return readWallet(wallet)
  const labelled = splitLabel(part.replace(/^alt\.\s*/i, ''))
  if (labelled === null) {
    const number = NUMBER_LIKE.exec(part)
    // The label comes before the number. A text about another subject may contain an LEI, which has its own rule.
    return number === null || findLeiCodes([part]).leis.length > 0
      ? NOTHING
      : { ...NOTHING, unread: part.slice(0, number.index).trim() || 'a number without a label' }
  }
  const { label, rest } = labelled
  const kind = KINDS.get(withoutBlanks(label)) ?? null
  return kind === null ? NOTHING : readNumber(kind, label.replace(/\s+/g, ' '), rest)
}

/** The longest known label at the beginning of a text, and the text after it; null without one. */
function splitLabel(text: string): { readonly label: string; readonly rest: string } | null {
  let compact = ''
  let end: number | null = null
  for (let at = 0; at < text.length && compact.length < LONGEST_LABEL; at += 1) {
    const character = text.charAt(at)
    if (/\s/.test(character)) continue
    compact += character.toLowerCase()
    if (KINDS.has(compact) && !/[A-Za-z]/.test(text.charAt(at + 1))) end = at + 1
  }
  if (end === null) return null
  return { label: text.slice(0, end), rest: text.slice(end).replace(/^[\s:]+/, '') }
}

function readWallet(written: string): Part {
  const [, code, address] = /^([A-Z0-9]{2,6})\s+(\S+)$/.exec(written) ?? []
  if (code === undefined || address === undefined)
    return {
      ...NOTHING,
      refused: [`the wallet ${quoted(written)} is not a code of a currency and an address`],
    }
  return toPart({ kind: 'wallet', text: address, label: code })
}

/** Reads a value such as `E51809923 (China) issued 25 May 2015 expires 24 May 2025`. */
function readNumber(kind: IdentifierKind, label: string, written: string): Part {
  const [value = ''] = written.split(/\s(?:issued|expires)\s/i, 1)
  const [number, countryName] = splitNameInBrackets(value.trim())
  if (/^IMO\s*\d{7}$/i.test(number)) return toPart({ kind: 'imo', text: number, label })
  if (kind === 'lei') {
    const { leis, refused } = parseLeiCodes([number])
    if (leis.length > 0 || number.length >= LEI_LENGTH)
      return { ...NOTHING, identifiers: leiIdentifiers(leis), refused }
  }
  return toPart({ kind: kind === 'lei' ? 'registration' : kind, text: number, label, countryName })
}

function toPart(identifier: WrittenIdentifier): Part {
  const refused: string[] = []
  return { ...NOTHING, identifiers: readListedIdentifier(identifier, refused), refused }
}
