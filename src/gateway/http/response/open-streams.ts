import { InFlight } from '../../../core/in-flight.js'
import type { Exchange, FinishedReply } from '../../../platform/request/exchange.js'
import { isStream } from '../../../platform/request/reply-body.js'

export const STREAM_KINDS = ['events', 'messages', 'file'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]

/** Counts streaming replies: server-sent events, messages of WebSockets, and exported files. */
export class OpenStreams {
  readonly #open = new InFlight<StreamKind>()

  /** Number of open replies of the kind. */
  count(kind: StreamKind): number {
    return this.#open.of(kind)
  }

  /** Counts a streaming reply from its first chunk to its last, or to the end of its connection. */
  track(reply: FinishedReply, { takesMessages }: Pick<Exchange, 'takesMessages'>): FinishedReply {
    const { body } = reply
    if (!isStream(body)) return reply
    const isEvents = reply.headers.some((text) => text.startsWith('text/event-stream'))
    return { ...reply, body: this.#while(body, takesMessages ? 'messages' : isEvents ? 'events' : 'file') }
  }

  async *#while(body: AsyncIterable<Uint8Array>, kind: StreamKind): AsyncGenerator<Uint8Array, void> {
    const end = this.#open.begin(kind)
    try {
      yield* body
    } finally {
      end()
    }
  }
}
