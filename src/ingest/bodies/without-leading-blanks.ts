const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf]

/** The body from its first byte on that is no blank and no byte order mark: XML may have nothing before its declaration. */
export async function* withoutLeadingBlanks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isBegun = false
  for await (const chunk of chunks) {
    const first = isBegun ? 0 : chunk.findIndex((byte) => byte > 0x20 && !BYTE_ORDER_MARK.includes(byte))
    if (first < 0) continue
    isBegun = true
    yield chunk.subarray(first)
  }
}
