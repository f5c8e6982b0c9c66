/** An event of a stream. */
export interface ServerSentEvent {
  readonly type: string
  readonly data: string
}

/** No event of the gateway is nearly as long, so a longer one is an error. */
const MAX_CHARS = 1_000_000

/** Parses server-sent events as the HTML standard defines them. Comments only call `onBytes`, as all bytes do. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerSentEvent, void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let text = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      onBytes()
      const blocks = (text + part.value).replaceAll('\r\n', '\n').split('\n\n')
      text = blocks.pop() ?? ''
      if (text.length > MAX_CHARS) throw new Error('The gateway sent an event that is too long.')
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event !== null) yield event
      }
    }
  } finally {
    void reader.cancel().catch(() => {}) // rejects if the stream has failed
  }
}

/** Null for a block without data, such as a comment. */
function parseBlock(block: string): ServerSentEvent | null {
  let type = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'event') type = value
    if (name === 'data') data.push(value)
  }
  return data.length === 0 && type === 'message' ? null : { type, data: data.join('\n') }
}
