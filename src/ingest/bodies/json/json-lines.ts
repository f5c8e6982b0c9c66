import { duplicateMember } from '../../../core/duplicate-member.js'
import { BrokenBody, NotInFormat, quoted } from '../../feed.js'
import { assertNoMarkup } from '../first-byte.js'
import { decodeUtf8 } from './json-body.js'

/** The longest objects, entities of OpenSanctions, have a few hundred kilobytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const NEWLINE = 0x0a
const BRACE = 0x7b

/** A line. If it is not an object or has a member twice, it has a reason and no value. */
export type JsonLine =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly reason: string }

/**
 * Yields the objects of a body with one object per line. Memory holds one line. Throws BrokenBody for another
 * format.
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonLine> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let line = 0
  let hasBegun = false
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = Buffer.concat([...held, chunk.subarray(start, end)])
      start = end + 1
      line += 1
      ;[held, heldBytes] = [[], 0]
      if (isBlank(bytes)) continue
      if (!hasBegun) assertJsonLines(bytes)
      hasBegun = true
      yield readLine(bytes, line)
    }
    held.push(chunk.subarray(start))
    heldBytes += chunk.length - start
    if (heldBytes > MAX_LINE_BYTES) throw new BrokenBody(`line ${line + 1} is too long`)
  }
  const rest = Buffer.concat(held)
  if (isBlank(rest)) {
    if (!hasBegun) throw new NotInFormat('the body is empty')
    return
  }
  if (!hasBegun) assertJsonLines(rest)
  yield readLine(rest, line + 1)
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20)
}

function assertJsonLines(bytes: Uint8Array): void {
  const first = bytes.find((byte) => byte > 0x20) ?? null
  assertNoMarkup(first, 'JSON lines')
  if (first !== BRACE) throw new NotInFormat('the body does not have a JSON object on each line')
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
