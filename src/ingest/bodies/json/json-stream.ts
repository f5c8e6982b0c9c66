import { Tokenizer, TokenType } from '@streamparser/json'
import { BrokenBody, NotInFormat, quoted } from '../../feed.js'
import { assertNoMarkup } from '../first-byte.js'

/**
 * Receives the parts of a JSON text in order. A path has the names of the enclosing objects, and `*` for each list.
 */
export interface JsonListener {
  /** A text, number, boolean or null. A number is the nearest double. */
  value(path: readonly string[], value: string | number | boolean | null): void
  /** An object or a list begins. */
  open(path: readonly string[]): void
  close(path: readonly string[]): void
}

/** Answers of providers have about eight levels. */
const MAX_DEPTH = 20

/** A longer text without a token is malformed. */
const MAX_BETWEEN_TOKENS = 1024 * 1024

/** The path element of all values of a list. */
const IN_LIST = '*'

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing'

/**
 * Parses a JSON text in UTF-8 from chunks without holding it: `write` takes a chunk, `end` the end. Throws
 * BrokenBody for an empty text, HTML, XML, invalid JSON and a text that is cut off. The library's own parser does
 * not fit: its `paths` return whole values, so it misses a duplicate member and holds an endless list.
 */
export class JsonStream {
  readonly #listener: JsonListener
  readonly #tokenizer = new Tokenizer()
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #lists: boolean[] = []
  readonly #path: string[] = []
  #expected: Expected = 'value'
  #sinceToken = 0
  #isBegun = false

  constructor(listener: JsonListener) {
    this.#listener = listener
    this.#tokenizer.onToken = ({ token, value, partial }) => {
      this.#sinceToken = 0
      if (partial !== true) this.#take(token, value ?? null)
    }
    this.#tokenizer.onError = (cause) => {
      throw cause instanceof BrokenBody ? cause : new NotInFormat('the body is not JSON', { cause })
    }
  }

  write(chunk: Uint8Array): void {
    this.#assertIsJson(chunk)
    this.#checkEncoding(chunk)
    this.#sinceToken += chunk.length
    this.#tokenizer.write(chunk)
    if (this.#sinceToken > MAX_BETWEEN_TOKENS) throw new BrokenBody('a text of the body never ends')
  }

  end(): void {
    if (!this.#isBegun) throw new NotInFormat('the body is empty')
    if (this.#expected !== 'nothing') throw new BrokenBody('the body is cut off')
  }

  #assertIsJson(chunk: Uint8Array): void {
    if (this.#isBegun) return
    const first = chunk.find((byte) => byte > 0x20)
    if (first === undefined) return
    this.#isBegun = true
    assertNoMarkup(first, 'JSON')
  }

  #checkEncoding(chunk: Uint8Array): void {
    try {
      this.#decoder.decode(chunk, { stream: true })
    } catch (cause) {
      throw new NotInFormat('the body is not UTF-8 text', { cause })
    }
  }

  #take(token: TokenType, value: string | number | boolean | null): void {
    if (token === TokenType.LEFT_BRACE) this.#open(false)
    else if (token === TokenType.LEFT_BRACKET) this.#open(true)
    else if (token === TokenType.RIGHT_BRACE) this.#close(false)
    else if (token === TokenType.RIGHT_BRACKET) this.#close(true)
    else if (token === TokenType.COLON) this.#turn('colon', 'value')
    else if (token === TokenType.COMMA) this.#turn('comma or end', this.#lists.at(-1) ? 'value' : 'name')
    else this.#takeScalar(value)
  }

  #turn(from: Expected, to: Expected): void {
    this.#expect(from)
    this.#expected = to
  }

  #takeScalar(value: string | number | boolean | null): void {
    if (this.#expected === 'name' || this.#expected === 'name or end') {
      if (typeof value !== 'string') throw new BrokenBody('the body is not JSON: a name is missing')
      this.#path[this.#path.length - 1] = value
      this.#expected = 'colon'
      return
    }
    this.#expect('value', 'value or end')
    this.#listener.value(this.#path, value)
    this.#expected = this.#after()
  }

  #open(isList: boolean): void {
    this.#expect('value', 'value or end')
    if (this.#lists.length >= MAX_DEPTH) throw new BrokenBody('the body is nested too deeply')
    this.#listener.open(this.#path)
    this.#lists.push(isList)
    this.#path.push(IN_LIST)
    this.#expected = isList ? 'value or end' : 'name or end'
  }

  #close(isList: boolean): void {
    this.#expect('comma or end', isList ? 'value or end' : 'name or end')
    if (this.#lists.pop() !== isList) throw new BrokenBody('the body is not JSON: brackets do not match')
    this.#path.pop()
    this.#listener.close(this.#path)
    this.#expected = this.#after()
  }

  #after(): Expected {
    return this.#lists.length === 0 ? 'nothing' : 'comma or end'
  }

  #expect(...allowed: readonly Expected[]): void {
    if (allowed.includes(this.#expected)) return
    if (this.#expected === 'nothing') throw new BrokenBody('the body is not JSON: text follows its end')
    const place = quoted(this.#path.join('.'))
    throw new BrokenBody(`the body is not JSON: a ${this.#expected} is expected at ${place}`)
  }
}
