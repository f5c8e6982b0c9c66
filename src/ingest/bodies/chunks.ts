import { BrokenBody } from '../feed.js'

const MEGABYTE = 2 ** 20

/** More than any body that a feed reads whole. */
const MAX_BYTES = 64 * MEGABYTE

/** Wraps a body in memory for code that reads streams. */
export async function* oneChunk(body: Uint8Array | string): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** Loads a stream into memory. Throws BrokenBody if it is too large. */
export async function concatChunks(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = MAX_BYTES,
): Promise<Uint8Array> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    read.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) throw new BrokenBody(`the file is larger than ${maxBytes / MEGABYTE} MB`)
  }
  return Buffer.concat(read)
}
