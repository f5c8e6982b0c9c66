import { CsvError, parse } from 'csv-parse/sync'
import { looseCells } from './loose-cells.js'

/** Text parsed at a time: 256 KiB has about 50,000 cells. */
const SLICE_BYTES = 256 * 1024

/** A record longer than this is a quote that was never closed. */
const MAX_RECORD_BYTES = 1024 * 1024

const QUOTE = 0x22
const NEWLINE = 0x0a
const LESS_THAN = 0x3c
const BRACE = 0x7b
const BRACKET = 0x5b

/** A record: its trimmed cells, and the line on which it ends, counted from 1. */
export interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
  /** Why the line could not be read; it then has no cells. Only with `keepsBrokenLines`. */
  readonly wrong?: string
}

export interface CsvOptions {
  /**
   * A line that is not CSV does not end the body. Quotes within its cells are read as they stand, and a line that still cannot be
   * read becomes a record with the reason.
   */
  readonly keepsBrokenLines?: boolean
}

/** The text is not CSV. The message may be shown to the person who sent it. */
export class BrokenCsv extends Error {
  override readonly name = 'BrokenCsv'
}

/**
 * Reads the records of a CSV text in UTF-8 (RFC 4180, with or without a byte order mark). It skips empty lines and
 * does not compare the number of cells. It parses one slice at a time, so memory does not grow with the body. It
 * calls `onRead` with the share read, 0 to 1. Throws BrokenCsv for an empty body, HTML, XML, JSON, binary data and
 * an open quote.
 */
export function* csvRecords(
  body: Uint8Array,
  onRead?: (fraction: number) => void,
  { keepsBrokenLines = false }: CsvOptions = {},
): Generator<CsvRecord> {
  assertIsText(withoutByteOrderMark(body))
  const reader = new RecordReader(keepsBrokenLines)
  for (let start = 0; start < body.length; start += SLICE_BYTES) {
    yield* reader.read(body.subarray(start, start + SLICE_BYTES))
    const isLast = start + SLICE_BYTES >= body.length
    if (isLast) yield* reader.end()
    onRead?.(isLast ? 1 : reader.readBytes / body.length)
  }
}

/** Like `csvRecords`, for a text that arrives in chunks. It holds one slice, and a record may have at most 1 MiB. */
export async function* csvRecordStream(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { keepsBrokenLines = false }: CsvOptions = {},
): AsyncGenerator<CsvRecord> {
  const reader = new RecordReader(keepsBrokenLines)
  for await (const chunk of chunks) yield* reader.read(chunk)
  yield* reader.end()
}

/** Splits a text that arrives in chunks into records, and parses a slice at a time. */
class RecordReader {
  readonly #keepsBrokenLines: boolean
  #held: Uint8Array[] = []
  #heldBytes = 0
  #linesBefore = 0
  #isBegun = false
  /** Bytes of the records read so far. */
  readBytes = 0

  constructor(keepsBrokenLines: boolean) {
    this.#keepsBrokenLines = keepsBrokenLines
  }

  *read(chunk: Uint8Array): Generator<CsvRecord> {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= SLICE_BYTES) yield* this.#take(false)
  }

  *end(): Generator<CsvRecord> {
    if (this.#heldBytes > 0 || !this.#isBegun) yield* this.#take(true)
  }

  *#take(isLast: boolean): Generator<CsvRecord> {
    const joined = Buffer.concat(this.#held)
    const text = this.#isBegun ? joined : withoutByteOrderMark(joined)
    if (!this.#isBegun) assertIsText(text)
    else if (text.includes(0)) throw new BrokenCsv('the body is binary, not CSV')
    this.#isBegun = true
    let end = isLast ? text.length : lastRecordEnd(text)
    if (end === 0 && text.length > MAX_RECORD_BYTES) {
      end = this.#keepsBrokenLines ? lineEnd(text, 0) : text.length
      if (end === text.length) throw new BrokenCsv('a quote is opened and never closed')
    }
    const slice = text.subarray(0, end)
    this.#held = [text.subarray(end)]
    this.#heldBytes = text.length - end
    this.readBytes += end
    if (slice.length === 0) return
    yield* recordsOf(slice, this.#linesBefore, this.#keepsBrokenLines)
    this.#linesBefore += count(slice, NEWLINE)
  }
}

/** The end of the last whole record; 0 if the text has none. */
function lastRecordEnd(text: Uint8Array): number {
  let isQuoted = false
  let end = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === QUOTE) isQuoted = !isQuoted
    else if (text[at] === NEWLINE && !isQuoted) end = at + 1
  }
  return end
}

interface InfoRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

function* recordsOf(slice: Uint8Array, linesBefore: number, keepsBrokenLines: boolean): Generator<CsvRecord> {
  try {
    yield* recordsOfSlice(slice, linesBefore)
  } catch (error) {
    if (!keepsBrokenLines || !isBrokenLine(error)) throw error
    yield* recordByRecord(slice, linesBefore)
  }
}

function recordsOfSlice(slice: Uint8Array, linesBefore: number): readonly CsvRecord[] {
  return parseSlice(slice, linesBefore).map(({ record, info }) => ({
    line: linesBefore + info.lines,
    cells: record,
  }))
}

const UNCLOSED = 'has a quote that is never closed'

/** Reads each record by itself, so that a line that is not CSV affects no other. */
function* recordByRecord(slice: Uint8Array, linesBefore: number): Generator<CsvRecord> {
  let start = 0
  let lines = linesBefore
  while (start < slice.length) {
    let end = firstRecordEnd(slice, start)
    try {
      yield* recordsOfSlice(slice.subarray(start, end), lines)
    } catch (error) {
      if (!isBrokenLine(error)) throw error
      end = lineEnd(slice, start)
      const line = slice.subarray(start, end)
      const cells = looseCells(decode(line).trim())
      // A last line without its end is cut off, and so is the body.
      if (cells === null && line.at(-1) !== NEWLINE) throw error
      yield { line: lines + 1, ...(cells === null ? { cells: [], wrong: UNCLOSED } : { cells }) }
    }
    lines += count(slice.subarray(start, end), NEWLINE)
    start = end
  }
}

/** Whether the text is not CSV. Another encoding ends every body. */
function isBrokenLine(error: unknown): boolean {
  return error instanceof BrokenCsv && error.cause instanceof CsvError
}

function lineEnd(text: Uint8Array, start: number): number {
  const newline = text.indexOf(NEWLINE, start)
  return newline < 0 ? text.length : newline + 1
}

function firstRecordEnd(text: Uint8Array, start: number): number {
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    if (text[at] === QUOTE) isQuoted = !isQuoted
    else if (text[at] === NEWLINE && !isQuoted) return at + 1
  }
  return text.length
}

function parseSlice(slice: Uint8Array, linesBefore: number): readonly InfoRecord[] {
  try {
    const records: unknown = parse(decode(slice), {
      info: true,
      // Several files read as one body may end their lines differently.
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    })
    return records as readonly InfoRecord[] // the option `info: true` returns this; the library's type says string[][]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = linesBefore + (typeof error.lines === 'number' ? error.lines : 1)
    throw new BrokenCsv(`the text is not CSV from line ${line} on (${error.code})`, { cause: error })
  }
}

function withoutByteOrderMark(body: Uint8Array): Uint8Array {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

function assertIsText(text: Uint8Array): void {
  const first = text.find((byte) => byte > 0x20)
  if (first === undefined) throw new BrokenCsv('the body is empty')
  if (first === LESS_THAN) throw new BrokenCsv('the body is HTML or XML, not CSV')
  if (first === BRACE || first === BRACKET) throw new BrokenCsv('the body is JSON, not CSV')
  if (text.includes(0)) throw new BrokenCsv('the body is binary, not CSV')
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new BrokenCsv('the body is not UTF-8 text', { cause: error })
  }
}

function count(bytes: Uint8Array, wanted: number): number {
  let found = 0
  // Not an iterator: this loop visits each byte of bodies of gigabytes.
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === wanted) found++
  return found
}
