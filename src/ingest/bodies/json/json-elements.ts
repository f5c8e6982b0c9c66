import { BrokenBody, NotInFormat } from '../../feed.js'
import { assertNoMarkup, withFirstByte } from '../first-byte.js'
import { type JsonBody, readJson } from './json-body.js'

/** An element of a list, counted from 1. */
export interface JsonElement extends JsonBody {
  readonly number: number
}

/** The longest entry of any provider has about 100 kB. */
const MAX_ELEMENT_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 40

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPENING: ReadonlyMap<number, number> = new Map([
  [0x5b, 0x5d],
  [0x7b, 0x7d],
])
const BRACKET = 0x5b
const BRACE = 0x7b
const CLOSING = new Set(OPENING.values())

/**
 * Yields the elements of a JSON list as they arrive. The list is the whole body, or the given member of the object.
 * Memory holds one chunk and one element. Throws BrokenBody for an empty body, HTML, XML, invalid JSON, a missing
 * list, and a list that is not closed.
 */
export async function* jsonElements(
  chunks: AsyncIterable<Uint8Array>,
  member: string | null,
): AsyncGenerator<JsonElement> {
  const { first, text } = await withFirstByte(chunks)
  assertNoMarkup(first, 'JSON')
  if (first === BRACKET ? member !== null : member === null || first !== BRACE)
    throw new NotInFormat(
      member === null ? 'the body is not a list' : `the body is not an object with ${member}`,
    )
  const scanner = new ElementScanner(member)
  let number = 0
  for await (const chunk of text) {
    for (const bytes of scanner.push(chunk)) {
      number += 1
      yield elementOf(bytes, number)
    }
  }
  scanner.end(number)
}

function elementOf(bytes: Uint8Array, number: number): JsonElement {
  try {
    return { number, ...readJson(bytes) }
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error
    throw new BrokenBody(`entry ${number}: ${error.message}`, { cause: error })
  }
}

/**
 * Splits a text into the elements of one list by brackets, commas and quotes, whose bytes mean nothing else in
 * UTF-8. JSON tokenizers refuse the whole body for a NaN in one element.
 */
class ElementScanner {
  readonly #member: string | null
  /** The closing bytes of the containers that are open. */
  readonly #open: number[] = []
  #isInText = false
  #isEscaped = false
  /** Depth of the elements while the list is read; null outside the list. */
  #elementDepth: number | null = null
  #isFound = false
  /** The bytes held: the current element, or the last member name of the object around the list. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #name = ''
  #isClosed = false

  constructor(member: string | null) {
    this.#member = member
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (this.#isInText) {
        this.#readText(byte)
        continue
      }
      const wasIn = this.#elementDepth
      const isCut = wasIn !== null && this.#open.length === wasIn && (byte === COMMA || CLOSING.has(byte))
      if (isCut) {
        this.#hold(chunk.subarray(start, at))
        const element = this.#take(byte !== COMMA)
        if (element !== null) yield element
        start = at + 1
      }
      if (byte === COLON && this.#open.length === 1 && wasIn === null) {
        this.#hold(chunk.subarray(start, at))
        this.#name = nameIn(this.#take(true))
        start = at + 1
      } else if (byte === COMMA && this.#open.length === 1 && wasIn === null) {
        this.#drop()
        start = at + 1
      }
      this.#readMark(byte)
      // After the bracket of the list or of the object around it, a new element or name begins.
      if (wasIn !== this.#elementDepth || (OPENING.has(byte) && this.#open.length === 1)) {
        this.#drop()
        start = at + 1
      }
    }
    if (this.#elementDepth !== null || this.#open.length === 1) this.#hold(chunk.subarray(start))
  }

  /** Throws if the text is incomplete. */
  end(count: number): void {
    if (!this.#isClosed) throw new BrokenBody(`the body is cut off after entry ${count}`)
    if (!this.#isFound) throw new BrokenBody(`the body has no list ${this.#member}`)
    if (count === 0) throw new BrokenBody('the list is empty')
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInText = false
  }

  #readMark(byte: number): void {
    if (this.#isClosed && byte > 0x20) throw new BrokenBody('text follows the end of the JSON')
    if (byte === QUOTE) this.#isInText = true
    const closing = OPENING.get(byte)
    if (closing !== undefined) this.#openWith(byte, closing)
    else if (CLOSING.has(byte)) this.#closeWith(byte)
  }

  #openWith(byte: number, closing: number): void {
    const isList = byte === BRACKET && this.#elementDepth === null
    const isWanted =
      this.#member === null ? this.#open.length === 0 : this.#open.length === 1 && this.#name === this.#member
    this.#open.push(closing)
    if (this.#open.length > MAX_DEPTH) throw new BrokenBody('the body is nested too deeply')
    if (!isList || !isWanted) return
    if (this.#isFound) throw new BrokenBody(`the body has ${this.#member} twice`)
    this.#isFound = true
    this.#elementDepth = this.#open.length
  }

  #closeWith(byte: number): void {
    if (this.#open.pop() !== byte) throw new BrokenBody('the body is not JSON: its brackets do not match')
    if (this.#elementDepth !== null && this.#open.length < this.#elementDepth) this.#elementDepth = null
    this.#isClosed = this.#open.length === 0
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    // The sender may reuse the chunk.
    this.#held.push(Uint8Array.from(bytes))
    this.#heldBytes += bytes.length
    if (this.#heldBytes > MAX_ELEMENT_BYTES) throw new BrokenBody('an entry is longer than 4 MB')
  }

  #drop(): void {
    this.#held = []
    this.#heldBytes = 0
  }

  /** The element held; null if it is empty and may be. */
  #take(mayBeEmpty: boolean): Uint8Array | null {
    const bytes = Buffer.concat(this.#held)
    this.#drop()
    const isEmpty = bytes.every((byte) => byte <= 0x20)
    if (isEmpty && !mayBeEmpty)
      throw new BrokenBody('the body is not JSON: an entry is missing between commas')
    return isEmpty ? null : bytes
  }
}

/** Parses the name of a member; '' if it is invalid. */
function nameIn(bytes: Uint8Array | null): string {
  if (bytes === null) return ''
  try {
    return String(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return ''
  }
}
