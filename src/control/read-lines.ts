/** The other side violated the protocol. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

const LINE_END = 0x0a

/** The lines of a stream. Throws ProtocolError for a line of more than `maxBytes`. Text without a line end is dropped. */
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
  if (size > maxBytes) throw new ProtocolError(`a line has at most ${maxBytes} bytes`)
}

/** Parses a line by the schema of its message. Throws ProtocolError that names what is wrong. */
export function parseMessage<Message>(
  line: string,
  schema: { safeParse(value: unknown): ParseResult<Message> },
): Message {
  const parsed = schema.safeParse(jsonOf(line))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  throw new ProtocolError(faults.join('; ').slice(0, 500))
}

type ParseResult<Message> =
  | { readonly success: true; readonly data: Message }
  | {
      readonly success: false
      readonly error: {
        readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[]
      }
    }

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new ProtocolError('a line is one JSON value', { cause: error })
  }
}
