/**
 * Decimals as bytes. A figure begins with a byte of its length L (3 bits) and its scale (5 bits, the digits after the point);
 * L bytes of its digits follow, lowest byte first. 15 digits, the most that are published, take 8 bytes in all. Length 0 marks
 * the others by their scale: 0 is null, 1 is any other text (a byte of its length, then UTF-8).
 */

const MAX_SCALE = 30
const NULL = 0
const TEXT = 1

/** The unit of the last byte of the largest safe integer. */
const MAX_UNIT = 128 ** 7

/** Longest text that is written as it is. */
const MAX_TEXT_BYTES = 255

/** Digits with or without a point, no sign, no leading or missing zero: the text that the bytes give again. */
const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/

export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/** The digits after the point. */
export function scaleOf(figure: string): number {
  const point = figure.indexOf('.')
  return point < 0 ? 0 : figure.length - point - 1
}

/** Collects bytes. Throws RangeError for a text of more than 255 bytes. */
export class ByteWriter {
  readonly #bytes: number[] = []

  byte(value: number): void {
    this.#bytes.push(value)
  }

  text(text: string): void {
    const bytes = Buffer.from(text)
    if (bytes.length > MAX_TEXT_BYTES) throw new RangeError(`a text of ${bytes.length} bytes is too long`)
    this.#bytes.push(bytes.length, ...bytes)
  }

  /** A whole number from 0 to the largest safe integer, 7 bits a byte, lowest first. */
  whole(value: number): void {
    let rest = value
    while (rest > 127) {
      this.#bytes.push((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.#bytes.push(rest)
  }

  /** A decimal as text, or null. Reading gives the same text, digit for digit. */
  figure(text: string | null): void {
    if (text === null) {
      this.byte(NULL << 3)
      return
    }
    const scale = scaleOf(text)
    let digits = Number(text.replace('.', ''))
    if (!isPlain(text) || scale > MAX_SCALE || !Number.isSafeInteger(digits)) {
      this.byte(TEXT << 3)
      this.text(text)
      return
    }
    const bytes: number[] = []
    do {
      bytes.push(digits % 256)
      digits = Math.floor(digits / 256)
    } while (digits > 0)
    this.#bytes.push((scale << 3) | bytes.length, ...bytes)
  }

  get written(): Buffer {
    return Buffer.from(this.#bytes)
  }
}

/** Reads what a ByteWriter wrote. Throws RangeError for bytes that end early or have no meaning. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError(`stored bytes end after ${this.#bytes.length}`)
    return value
  }

  text(): string {
    return this.#take(this.byte()).toString('utf8')
  }

  /** The rest as text. */
  rest(): string {
    return this.#take(this.#bytes.length - this.#at).toString('utf8')
  }

  whole(): number {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte()
      value += (byte % 128) * unit
      if (byte < 128) return value
      if (unit > MAX_UNIT) throw new RangeError('stored bytes have a whole number without an end')
    }
  }

  figure(): string | null {
    const head = this.byte()
    const [scale, length] = [head >> 3, head & 7]
    if (length > 0) return plainFigure(this.#digits(length), scale)
    if (scale === NULL) return null
    if (scale === TEXT) return this.text()
    throw new RangeError(`stored bytes have a figure of the unknown kind ${scale}`)
  }

  #digits(length: number): number {
    let digits = 0
    let unit = 1
    for (let place = 0; place < length; place++) {
      digits += this.byte() * unit
      unit *= 256
    }
    return digits
  }

  #take(length: number): Buffer {
    const start = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new RangeError(`stored bytes end after ${this.#bytes.length}`)
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, length)
  }
}

/** A whole number of the last decimal place as plain text, with all its places. */
export function plainFigure(digits: number, scale: number): string {
  const text = String(digits)
  if (scale === 0) return text
  const padded = text.padStart(scale + 1, '0')
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/** As `plainFigure`, without zeros at the end of the decimal places. */
export function trimmedFigure(digits: number, scale: number): string {
  let [rest, places] = [digits, scale]
  while (places > 0 && rest % 10 === 0) {
    rest /= 10
    places -= 1
  }
  return plainFigure(rest, places)
}
