import { NotInFormat } from '../feed.js'

const LESS_THAN = 0x3c

/** Throws NotInFormat for an empty body, and for HTML or XML. */
export function assertNoMarkup(first: number | null, format: string): void {
  if (first === null || Number.isNaN(first)) throw new NotInFormat('the body is empty')
  if (first === LESS_THAN) throw new NotInFormat(`the body is HTML or XML, not ${format}`)
}

/** A body with more blanks than this at its start has no recognizable format. */
const MAX_LOOKED_AT = 1024

export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf]

/** The first byte that is neither a blank nor a byte order mark, or null; and the whole text. */
export async function withFirstByte(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly first: number | null; readonly text: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  let bytes = 0
  let first: number | null = null
  while (first === null && bytes < MAX_LOOKED_AT) {
    const next = await iterator.next()
    if (next.done) break
    held.push(next.value)
    bytes += next.value.length
    first = next.value.find((byte) => byte > 0x20 && !BYTE_ORDER_MARK.includes(byte)) ?? null
  }
  return { first, text: joined(held, iterator) }
}

async function* joined(
  held: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* held
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}
