import { duplicateMember } from '../../../core/duplicate-member.js'
import { BrokenBody, NotInFormat, quoted } from '../../feed.js'
import { assertNoMarkup, withFirstByte } from '../first-byte.js'
import { HeldBytes } from '../held-bytes.js'
import { decodeUtf8, type JsonBody, readJson } from './json-body.js'
import { type Choose, type JsonPart, JsonScanner } from './json-scanner.js'

/**
 * Yields the wanted parts of a JSON text in UTF-8 as they arrive. Memory holds one chunk and one part. Throws BrokenBody
 * for an empty text, HTML, XML, another encoding, brackets that do not match, and a text that is cut off. The caller parses
 * the parts, because JSON tokenizers refuse the whole body for a NaN in one of them.
 */
export async function* jsonParts(
  chunks: AsyncIterable<Uint8Array>,
  choose: Choose,
): AsyncGenerator<JsonPart> {
  const { first, text } = await withFirstByte(chunks)
  assertNoMarkup(first, 'JSON')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const scanner = new JsonScanner(choose)
  for await (const chunk of text) {
    assertUtf8(decoder, chunk)
    yield* scanner.push(chunk)
  }
  scanner.end()
}

function assertUtf8(decoder: TextDecoder, chunk: Uint8Array): void {
  try {
    decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new NotInFormat('the body is not UTF-8 text', { cause })
  }
}

/** An element of a list, counted from 1. */
export interface JsonElement extends JsonBody {
  readonly number: number
}

/**
 * Yields the elements of a JSON list like `jsonParts`. The list is the whole body, or the given member of the object.
 * Throws BrokenBody also for a missing list, an empty one, and an element that is not JSON.
 */
export async function* jsonElements(
  chunks: AsyncIterable<Uint8Array>,
  member: string | null,
): AsyncGenerator<JsonElement> {
  const list = member === null ? [] : [member]
  let isFound = false
  let elements = 0
  const choose: Choose = (path, kind) => {
    if (path.length > list.length) return 'text'
    if (path.length === 0 && (kind === 'list' ? member !== null : member === null || kind !== 'object'))
      throw new NotInFormat(
        member === null ? 'the body is not a list' : `the body is not an object with ${member}`,
      )
    if (path.length < list.length) return 'inside'
    if (path[0] !== list[0] || kind !== 'list') return 'nothing'
    if (isFound) throw new BrokenBody(`the body has ${member} twice`)
    isFound = true
    return 'inside'
  }
  for await (const { number, bytes } of jsonParts(chunks, choose)) {
    elements = number
    yield { number, ...readElement(bytes, number) }
  }
  if (!isFound) throw new BrokenBody(`the body has no list ${member}`)
  if (elements === 0) throw new BrokenBody('the list is empty')
}

function readElement(bytes: Uint8Array, number: number): JsonBody {
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error
    throw new BrokenBody(`entry ${number}: ${error.message}`, { cause: error })
  }
}

/** The longest objects, entities of OpenSanctions, have a few hundred kilobytes. */
const MAX_LINE_MB = 16

const NEWLINE = 0x0a
const BRACE = 0x7b

/** A line. If it is not an object or has a member twice, it has a reason and no value. */
export type JsonLine =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly reason: string }

/**
 * Yields the objects of a body with one object per line. Memory holds one chunk and one line. Throws BrokenBody for another
 * format.
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonLine> {
  let line = 0
  let hasBegun = false
  for await (const bytes of linesOf(chunks)) {
    line += 1
    const first = bytes.find((byte) => byte > SPACE)
    if (first === undefined) continue
    if (!hasBegun) assertNoMarkup(first, 'JSON lines')
    if (!hasBegun && first !== BRACE)
      throw new NotInFormat('the body does not have a JSON object on each line')
    hasBegun = true
    yield readLine(bytes, line)
  }
  if (!hasBegun) throw new NotInFormat('the body is empty')
}

const SPACE = 0x20

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const held = new HeldBytes('a line', MAX_LINE_MB)
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield held.take(chunk.subarray(start, end))
      start = end + 1
    }
    held.hold(chunk.subarray(start))
  }
  yield held.take(new Uint8Array())
}

function readLine(bytes: Uint8Array, line: number): JsonLine {
  const text = decodeUtf8(bytes)
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      return { line, reason: 'is not an object' }
    }
    const twice = duplicateMember(text)
    if (twice !== null) return { line, reason: `has the member ${quoted(twice)} more than once` }
    return { line, value: { ...value } }
  } catch {
    return { line, reason: `is not JSON; it ends with ${quoted(text.slice(-40))}` }
  }
}
