/** The other side violated the protocol. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
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
