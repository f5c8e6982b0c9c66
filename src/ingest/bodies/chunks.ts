import { BrokenBody } from '../feed.js'

const MEGABYTE = 2 ** 20

/** Longer than any body of a provider or a seed that is read as a whole. */
const MAX_BYTES = 64 * MEGABYTE

/** A body that is there already, for what reads bodies as they arrive. */
export async function* oneChunk(body: Uint8Array | string): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** A body of moderate size, whole. Throws BrokenBody for a larger one. */
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
