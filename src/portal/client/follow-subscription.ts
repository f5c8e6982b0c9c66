import { noteQuota } from './quota.js'
import { type GraphQLResponse, RequestError, toGraphQLError, toRequestError } from './request.js'
import { readServerSentEvents } from './server-sent-events.js'
import { credentials, session } from './session.js'

/** The gateway sends a comment every 12 seconds. A connection without bytes for three of them is lost. */
const SILENT_MS = 40_000

export interface Subscription<Data> {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** Called once, when the gateway sends every event from now on. */
  readonly onOpen: () => void
  readonly onData: (data: Data) => void
  /** Called for an error event after which the stream continues, such as a spent quota. */
  readonly onError: (error: RequestError) => void
}

/** Runs a GraphQL subscription over server-sent events. Resolves when the gateway ends it; rejects with a RequestError. */
export async function followSubscription<Data>(subscription: Subscription<Data>): Promise<void> {
  const { document, variables, signal, onOpen, onData, onError } = subscription
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const onBytes = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENT_MS)
  }
  onBytes()
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...credentials(session()),
      },
      body: JSON.stringify({ query: document, variables }),
      signal: AbortSignal.any([signal, silence.signal]),
    })
    noteQuota(response)
    if (!response.ok || response.body === null)
      throw toRequestError(await response.json().catch(() => null), response.status)
    onOpen()
    for await (const { type, data } of readServerSentEvents(response.body, onBytes)) {
      if (type !== 'next') continue
      const answer = JSON.parse(data) as GraphQLResponse<Data>
      const [error] = answer.errors ?? []
      if (error !== undefined) onError(toGraphQLError(error))
      else if (answer.data) onData(answer.data)
    }
  } catch (error) {
    throw error instanceof RequestError ? error : new RequestError('The connection was lost.', 'network')
  } finally {
    clearTimeout(timer)
  }
}
