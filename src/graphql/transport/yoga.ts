import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'

/** Events of a subscription that is open already. */
export type Events = AsyncIterableIterator<ExecutionResult>

/** Writes events as server-sent events: a fetch Response whose body is the stream. */
export type EventWriter = (
  operation: OperationDefinitionNode,
  events: Events,
  signal: AbortSignal,
) => Promise<Response>

/** What the plugins see of a subscription. */
interface OpenStream {
  readonly openDocument: DocumentNode
  readonly events: Events
}

/** Any URL will do: what is asked has been read from the request. */
const ENDPOINT = 'http://localhost/graphql'

const openAlready: Plugin<object, OpenStream> = {
  // It was parsed, validated, planned and opened before; the server context is part of the context.
  onParse: ({ context, setParsedDocument }) =>
    setParsedDocument((context as unknown as OpenStream).openDocument),
  onValidate: ({ setResult }) => setResult([]),
  onSubscribe: ({ args, setSubscribeFn }) => {
    const { events } = args.contextValue as unknown as OpenStream
    setSubscribeFn(() => events)
  },
}

/** Yoga does what is no plain query or mutation: server-sent events with their pings. All else is done before it. */
export function createEventWriter(schema: GraphQLSchema): EventWriter {
  const yoga = createYoga<OpenStream>({
    schema,
    plugins: [openAlready],
    // Keeps nothing by text: documents are bounded by our own cache.
    parserAndValidationCache: false,
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    cors: false,
    disposeOnProcessTerminate: false,
  })
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
  const body = JSON.stringify({ query: 'subscription' })
  return async (operation, events, signal) => {
    const openDocument: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] }
    return yoga.fetch(ENDPOINT, { method: 'POST', headers, body, signal }, { openDocument, events })
  }
}
