import { BrokenBody, NotInFormat, quoted } from '../feed.js'
import { assertNoMarkup } from './first-byte.js'

/** A JSON value whose numbers are the text they are written in, so that no price passes through a float. */
export type Json = string | boolean | null | JsonList | JsonObject
export type JsonList = readonly Json[]
export interface JsonObject extends ReadonlyMap<string, Json> {}

export interface JsonBody {
  readonly value: Json
  /** Lists and objects that the end of the text left open: a cut-off body keeps what came before. */
  readonly cut: ReadonlySet<Json>
  /** A name that one object has twice, so that it cannot be said what its value is; null: none. */
  readonly duplicate: string | null
}

/** Answers of providers are six levels deep. */
const MAX_DEPTH = 10

const SPACE = /[ \t\r\n]*/y
const WORD = /[-+.\w]+/y
const PLAIN_CHARACTERS = /[^"\\]*/y
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** No JSON, and written all the same by servers that do not look; they become text and fail as cells. */
const NOT_A_NUMBER: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

/** The text ended before the value did. */
const ENDED = Symbol('ended')

interface Cursor {
  readonly text: string
  at: number
  readonly cut: Set<Json>
  duplicate: string | null
}

/**
 * Reads a body as JSON, cut off or not. Throws BrokenBody for an empty body, a page and anything else.
 * No library does: lossless-json and JSON.parse refuse a body that is cut off, and NaN for a single cell.
 */
export function readJson(body: Uint8Array): JsonBody {
  const cursor: Cursor = { text: decodeUtf8(body), at: 0, cut: new Set(), duplicate: null }
  skipSpace(cursor)
  assertNoMarkup(cursor.text.charCodeAt(cursor.at), 'JSON')
  const value = readValue(cursor, 0)
  skipSpace(cursor)
  if (value === ENDED || cursor.at < cursor.text.length) throw notJson(cursor)
  return { value, cut: cursor.cut, duplicate: cursor.duplicate }
}

/** The JSON of a body that has to be whole. Throws BrokenBody for one that was cut off, or has a name twice. */
export function wholeJson(body: Uint8Array): Json {
  const { value, cut, duplicate } = readJson(body)
  if (cut.size > 0) throw new BrokenBody('the body is cut off')
  if (duplicate !== null)
    throw new BrokenBody(`an object of the body has the member ${shown(duplicate)} twice`)
  return value
}

export function isList(value: Json | undefined): value is JsonList {
  return Array.isArray(value)
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map
}

/** The text of a value: the same for two that say the same in the same order. */
export function jsonText(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) => (inner instanceof Map ? [...inner] : inner))
}

/** A value as a reason may quote it. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return quoted(value)
  if (isList(value)) return 'a list'
  return isJsonObject(value) ? 'an object' : String(value)
}

/** The text of a body in UTF-8. Throws NotInFormat for any other. */
export function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new NotInFormat('the body is not UTF-8 text', { cause })
  }
}

function readValue(cursor: Cursor, depth: number): Json | typeof ENDED {
  skipSpace(cursor)
  if (depth > MAX_DEPTH) throw new BrokenBody('the body is nested too deeply')
  switch (cursor.text[cursor.at]) {
    case undefined:
      return ENDED
    case '[':
      return readList(cursor, depth)
    case '{':
      return readObject(cursor, depth)
    case '"':
      return readString(cursor)
    default:
      return readWord(cursor)
  }
}

function readList(cursor: Cursor, depth: number): Json {
  const items: Json[] = []
  readItems(cursor, { closing: ']', container: items }, () => {
    const item = readValue(cursor, depth + 1)
    if (item !== ENDED) items.push(item)
  })
  return items
}

function readObject(cursor: Cursor, depth: number): Json {
  const entries = new Map<string, Json>()
  readItems(cursor, { closing: '}', container: entries }, () => {
    if (cursor.text[cursor.at] !== '"') throw notJson(cursor)
    const name = readString(cursor)
    skipSpace(cursor)
    if (name === ENDED || cursor.at >= cursor.text.length) return
    if (entries.has(name)) cursor.duplicate ??= name
    if (!takes(cursor, ':')) throw notJson(cursor)
    const value = readValue(cursor, depth + 1)
    if (value !== ENDED) entries.set(name, value)
  })
  return entries
}

interface Container {
  readonly closing: string
  readonly container: Json
}

/** Items between commas up to the closing bracket; at the end of the text the container is noted as cut. */
function readItems(cursor: Cursor, { closing, container }: Container, readItem: () => void): void {
  cursor.at++
  skipSpace(cursor)
  if (takes(cursor, closing)) return
  do {
    skipSpace(cursor)
    if (cursor.at < cursor.text.length) readItem()
    skipSpace(cursor)
  } while (takes(cursor, ','))
  if (cursor.at >= cursor.text.length) cursor.cut.add(container)
  else if (!takes(cursor, closing)) throw notJson(cursor)
}

function readString(cursor: Cursor): string | typeof ENDED {
  const start = cursor.at
  for (cursor.at++; ; cursor.at += 2) {
    take(cursor, PLAIN_CHARACTERS)
    if (cursor.at >= cursor.text.length) return ENDED
    if (cursor.text[cursor.at] === '"') break
  }
  cursor.at++
  try {
    return String(JSON.parse(cursor.text.slice(start, cursor.at)))
  } catch {
    throw notJson({ ...cursor, at: start })
  }
}

function readWord(cursor: Cursor): Json | typeof ENDED {
  const start = cursor.at
  const word = take(cursor, WORD)
  if (NUMBER.test(word) || NOT_A_NUMBER.has(word)) return word
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  if (word !== '' && cursor.at >= cursor.text.length) return ENDED
  throw notJson({ ...cursor, at: start })
}

function takes(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false
  cursor.at++
  return true
}

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at
  const [found = ''] = pattern.exec(cursor.text) ?? []
  cursor.at += found.length
  return found
}

function skipSpace(cursor: Cursor): void {
  take(cursor, SPACE)
}

function notJson({ text, at }: Cursor): BrokenBody {
  return new NotInFormat(
    `the body is not JSON from character ${at + 1} on: ${quoted(text.slice(at, at + 40))}`,
  )
}
