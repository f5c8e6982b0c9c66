export interface EventStream {
  readonly response: Response
  /** Breaks the connection. */
  kill(): void
}

/** Opens a GraphQL subscription; what refuses it has a status that is not 200. */
export async function openEventStream(url: string, query: string, key: string | null): Promise<EventStream> {
  const abort = new AbortController()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(key === null ? {} : { 'x-api-key': key }),
    },
    body: JSON.stringify({ query }),
  })
  return {
    response,
    kill: () => {
      abort.abort()
      // This also keeps the response: fetch cancels the body of one that is garbage-collected.
      void response.body?.cancel().catch(() => {})
    },
  }
}

/** Events as they come, comments and the end among them. */
export async function* readEvents<Event>(
  response: Response,
): AsyncGenerator<Event | 'ping' | 'complete', void> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      if (block.startsWith(':')) yield 'ping'
      else if (block.includes('event: complete')) yield 'complete'
      else yield JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null') as Event
    }
  }
}
