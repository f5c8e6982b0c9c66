import { BrokenBody, NotInFormat, quoted } from '../../feed.js'
import { BYTE_ORDER_MARK } from '../first-byte.js'
import { HeldBytes } from '../held-bytes.js'

/** What a reader wants of a value: its text, the values in it, or nothing. */
export type Wanted = 'text' | 'inside' | 'nothing'

/**
 * Called when a value begins, in the order of the text. A path has the names of the enclosing objects, and `*` for each
 * list; it is valid during the call.
 */
export type Choose = (path: readonly string[], kind: 'object' | 'list' | 'other') => Wanted

/** The text of a wanted value. The bytes are valid until the next part. */
export interface JsonPart {
  readonly path: readonly string[]
  /** Number of the element in its list, from 1; 0 for a member of an object. */
  readonly number: number
  readonly bytes: Uint8Array
}

/** Answers of providers have about eight levels. */
const MAX_DEPTH = 20

/** The longest entry of any provider has about 100 kB. */
const MAX_PART_MB = 4

/** The path element of all values of a list. */
const IN_LIST = '*'

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const BRACKET = 0x5b
const BRACKET_END = 0x5d
const BRACE = 0x7b
const BRACE_END = 0x7d

/** The bytes that end a value. */
const ENDS: ReadonlySet<number> = new Set([COMMA, BRACKET_END, BRACE_END])

type Expected = 'an entry' | 'a name' | 'a colon' | 'a comma'

/**
 * Splits a JSON text by brackets, commas and quotes, whose bytes mean nothing else in UTF-8. It holds the part or the name
 * that it is reading. It checks the order of names and values around the parts; the caller parses the parts.
 */
export class JsonScanner {
  readonly #choose: Choose
  readonly #held = new HeldBytes('an entry', MAX_PART_MB)
  /** The closing bytes of the open containers. */
  readonly #closings: number[] = []
  /** The last name, or `*`, for each open container whose values are wanted. */
  readonly #path: string[] = []
  /** The number of the last element of these containers; 0 for objects. */
  readonly #numbers: number[] = []
  /** The number of the last part of the list. */
  #last = 0
  #expected: Expected = 'an entry'
  /** The container has no value so far, so it may end. */
  #isFresh = false
  /** The values in the container that begins are wanted. */
  #isEntering = false
  #reads: 'text' | 'name' | null = null
  #isInText = false
  #isEscaped = false

  constructor(choose: Choose) {
    this.#choose = choose
  }

  *push(chunk: Uint8Array): Generator<JsonPart> {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInText) {
        at = this.#readText(chunk, at)
        if (this.#reads === 'name' && !this.#isInText) this.#endName(chunk.subarray(start, at))
        continue
      }
      const byte = chunk[at] ?? SPACE
      if (byte <= SPACE) continue
      if (this.#closings.length === this.#path.length) {
        if (this.#reads === 'text' && ENDS.has(byte)) yield this.#endPart(chunk.subarray(start, at))
        if (this.#reads === null) {
          this.#readWanted(byte)
          start = this.#reads === 'name' ? at + 1 : at
        }
      }
      this.#readBracket(byte)
    }
    if (this.#reads !== null) this.#held.hold(chunk.subarray(start))
  }

  /** Throws if the text is incomplete. */
  end(): void {
    if (this.#expected === 'a comma' && this.#closings.length === 0) return
    const place = this.#last > 0 ? ` after entry ${this.#last}` : ''
    throw new BrokenBody(`the body is cut off${place}`)
  }

  /** Returns the place of the closing quote, or of the end of the chunk. */
  #readText(chunk: Uint8Array, from: number): number {
    let at = this.#isEscaped ? from + 1 : from
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) {
        this.#isInText = false
        break
      }
    }
    this.#isEscaped = at > chunk.length
    return at
  }

  #endName(end: Uint8Array): void {
    const name = new TextDecoder().decode(this.#held.take(end))
    this.#reads = null
    this.#path[this.#path.length - 1] = name.includes('\\') ? unescaped(name) : name
  }

  #endPart(end: Uint8Array): JsonPart {
    this.#reads = null
    this.#last = this.#numbers.at(-1) ?? 0
    return { path: [...this.#path], number: this.#last, bytes: this.#held.take(end) }
  }

  /** Reads a byte between the values of a container whose values are wanted. */
  #readWanted(byte: number): void {
    if (this.#closings.length === 0 && this.#expected === 'a comma')
      throw new BrokenBody('the body is not JSON: text follows its end')
    if (byte === COMMA) this.#turn('a comma', this.#closings.at(-1) === BRACKET_END ? 'an entry' : 'a name')
    else if (byte === COLON) this.#turn('a colon', 'an entry')
    else if (ENDS.has(byte)) {
      if (!this.#isFresh) this.#turn('a comma', 'a comma')
    } else if (this.#expected === 'an entry') this.#begin(byte)
    else if (byte === QUOTE) {
      this.#turn('a name', 'a colon')
      this.#reads = 'name'
    } else if (this.#expected !== 'a comma' || byte === BRACKET || byte === BRACE) throw this.#missing()
    this.#isFresh = false
  }

  #turn(from: Expected, to: Expected): void {
    if (this.#expected !== from) throw this.#missing()
    this.#expected = to
  }

  #missing(): BrokenBody {
    const place = quoted(this.#path.join('.'))
    return new BrokenBody(`the body is not JSON: ${this.#expected} is missing at ${place}`)
  }

  /** Begins a value. */
  #begin(byte: number): void {
    const isRoot = this.#closings.length === 0
    if (isRoot && BYTE_ORDER_MARK.includes(byte)) return
    const kind = byte === BRACKET ? 'list' : byte === BRACE ? 'object' : 'other'
    const depth = this.#path.length - 1
    if (this.#closings.at(-1) === BRACKET_END) this.#numbers[depth] = (this.#numbers[depth] ?? 0) + 1
    const wanted = this.#choose(this.#path, kind)
    if (isRoot && kind === 'other') throw new NotInFormat('the body is not JSON')
    this.#expected = 'a comma'
    if (wanted === 'text') this.#reads = 'text'
    this.#isEntering = wanted === 'inside' && kind !== 'other'
  }

  #readBracket(byte: number): void {
    if (byte === QUOTE) this.#isInText = true
    else if (byte === BRACKET) this.#open(BRACKET_END)
    else if (byte === BRACE) this.#open(BRACE_END)
    else if (byte === BRACKET_END || byte === BRACE_END) this.#close(byte)
  }

  #open(closing: number): void {
    this.#closings.push(closing)
    if (this.#closings.length > MAX_DEPTH) throw new BrokenBody('the body is nested too deeply')
    if (!this.#isEntering) return
    this.#isEntering = false
    this.#path.push(closing === BRACKET_END ? IN_LIST : '')
    this.#numbers.push(0)
    this.#last = 0
    this.#expected = closing === BRACKET_END ? 'an entry' : 'a name'
    this.#isFresh = true
  }

  #close(closing: number): void {
    const isEntered = this.#closings.length === this.#path.length
    if (this.#closings.pop() !== closing)
      throw new BrokenBody('the body is not JSON: its brackets do not match')
    if (!isEntered) return
    this.#path.pop()
    this.#numbers.pop()
    this.#expected = 'a comma'
  }
}

/** Parses a name with escapes. */
function unescaped(name: string): string {
  try {
    return String(JSON.parse(`"${name}"`))
  } catch (cause) {
    throw new NotInFormat('the body is not JSON', { cause })
  }
}
