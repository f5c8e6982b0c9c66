/** A line is longer than the reader allows. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
}

const LINE_END = 0x0a

/** The lines of a stream. Throws LineTooLong for a line of more than `maxBytes`. Text without a line end is dropped. */
export async function* readLines(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      const piece = chunk.subarray(start, end)
      assertShort(size + piece.length, maxBytes)
      yield Buffer.concat([...pieces, piece]).toString()
      pieces = []
      size = 0
      start = end + 1
    }
    const rest = chunk.subarray(start)
    size += rest.length
    assertShort(size, maxBytes)
    if (rest.length > 0) pieces.push(rest)
  }
}

function assertShort(size: number, maxBytes: number): void {
  if (size > maxBytes) throw new LineTooLong(`a line has at most ${maxBytes} bytes`)
}
