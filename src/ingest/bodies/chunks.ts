/** A body that is there already, for what reads bodies as they arrive. */
export async function* oneChunk(body: Uint8Array | string): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** A body of moderate size, whole. */
export async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read)
}
