const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf]

/** Skips leading blanks and byte order marks, because nothing may precede an XML declaration. */
export async function* withoutLeadingBlanks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isBegun = false
  for await (const chunk of chunks) {
    const first = isBegun ? 0 : chunk.findIndex((byte) => byte > 0x20 && !BYTE_ORDER_MARK.includes(byte))
    if (first < 0) continue
    isBegun = true
    yield chunk.subarray(first)
  }
}
