import type { FinishedReply } from '../../platform/request/exchange.js'
import { isStream } from '../../platform/request/reply-body.js'

export const STREAM_KINDS = ['events', 'file'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]

/** Counts replies that are sent while they are made: event streams, which stay open, and files. */
export class OpenStreams {
  readonly #open: Record<StreamKind, number> = { events: 0, file: 0 }

  /** Of that kind, now. */
  count(kind: StreamKind): number {
    return this.#open[kind]
  }

  /** The reply, counted from its first chunk to its last, or to the end of its connection. */
  counted(reply: FinishedReply): FinishedReply {
    const { body } = reply
    if (!isStream(body)) return reply
    const isEvents = reply.headers.some((text) => text.startsWith('text/event-stream'))
    return { ...reply, body: this.#while(body, isEvents ? 'events' : 'file') }
  }

  async *#while(body: AsyncIterable<Uint8Array>, kind: StreamKind): AsyncGenerator<Uint8Array, void> {
    this.#open[kind] += 1
    try {
      yield* body
    } finally {
      this.#open[kind] -= 1
    }
  }
}
