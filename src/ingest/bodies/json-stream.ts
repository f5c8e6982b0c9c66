import { Tokenizer, TokenType } from '@streamparser/json'
import { BrokenBody, NotInFormat, quoted } from '../feed.js'
import { assertNoMarkup } from './first-byte.js'

/** Hears what a JSON text has, in its order. A path has the names of the objects around, and `*` for each list. */
export interface JsonListener {
  /** A text, number, truth value or null. Numbers are the doubles nearest to what is written. */
  value(path: readonly string[], value: string | number | boolean | null): void
  /** An object or a list begins. */
  open(path: readonly string[]): void
  close(path: readonly string[]): void
}

/** Answers of providers are some eight levels deep. */
const MAX_DEPTH = 20

/** Longer without a token is no fact but a text that never ends. */
const MAX_BETWEEN_TOKENS = 1024 * 1024

/** In a list all values have this name. */
const IN_LIST = '*'

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing'

/**
 * Reads a JSON text in UTF-8 that arrives in chunks, without holding it: `write` takes a chunk, `end` what is left. Throws
 * BrokenBody for an empty text, a page, and anything else that is no JSON, or is cut off. The parser of the library is not used:
 * its `paths` give values once they are whole, so that a member that an object has twice and an endless list go unseen.
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
    if (this.#expected === 'nothing') throw new BrokenBody('the body is not JSON: it goes on behind its end')
    const place = quoted(this.#path.join('.'))
    throw new BrokenBody(`the body is not JSON: a ${this.#expected} is expected at ${place}`)
  }
}
