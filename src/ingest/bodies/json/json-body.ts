import { BrokenBody, NotInFormat, quoted } from '../../feed.js'
import { assertNoMarkup } from '../first-byte.js'

/** A JSON value. Numbers keep their text, so no price passes through a float. */
export type Json = string | boolean | null | JsonList | JsonObject
export type JsonList = readonly Json[]
export interface JsonObject extends ReadonlyMap<string, Json> {}

export interface JsonBody {
  readonly value: Json
  /** Lists and objects that were still open when the text ended. They keep what came before. */
  readonly cut: ReadonlySet<Json>
  /** A member name that one object has twice, which makes its value ambiguous; null if there is no duplicate. */
  readonly duplicate: string | null
}

/** Answers of providers have six levels. */
const MAX_DEPTH = 10

const SPACE = /[ \t\r\n]*/y
const WORD = /[-+.\w]+/y
const PLAIN_CHARACTERS = /[^"\\]*/y
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** Invalid JSON that some servers write. They become text, so only their cell is rejected. */
const NOT_A_NUMBER: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

/** The text ended inside a value. */
const ENDED = Symbol('ended')

interface Cursor {
  readonly text: string
  at: number
  readonly cut: Set<Json>
  duplicate: string | null
}

/**
 * Parses a body as JSON even if it is cut off. Throws BrokenBody for an empty body, HTML, XML and other text.
 * lossless-json and JSON.parse refuse a whole body for a missing end or for one NaN.
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

/** Parses a complete body as JSON. Throws BrokenBody if it is cut off or an object has a member twice. */
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

/** A number or text of an object as text; empty if it is missing or null. */
export function textCell(row: JsonObject, name: string): string {
  const value = row.get(name)
  return typeof value === 'string' ? value : ''
}

/** A text that is equal for values with the same content in the same order. */
export function jsonText(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) => (inner instanceof Map ? [...inner] : inner))
}

/** A value as a rejection may quote it. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return quoted(value)
  if (isList(value)) return 'a list'
  return isJsonObject(value) ? 'an object' : String(value)
}

/** Decodes a body as UTF-8. Throws NotInFormat if that fails. */
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

/** Parses items up to the closing bracket. If the text ends first, it notes the container as cut. */
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
