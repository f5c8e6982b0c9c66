import { ApiError } from '../../../core/errors.js'
import { InFlight } from '../../../core/in-flight.js'

/** Open files of all callers. Each holds a file descriptor and a chunk of 64 kB. */
const MAX_OPEN_FILES = 64

/** A client downloads a few files at the same time; more do not make it faster. */
const MAX_OPEN_FILES_PER_CALLER = 8

export interface OpenFilesLimits {
  readonly inAll?: number
  readonly perCaller?: number
}

/** Counts the files that are being sent, and limits them in all and per caller. */
export class OpenFiles {
  readonly #open = new InFlight()
  readonly #inAll: number
  readonly #perCaller: number

  constructor({ inAll = MAX_OPEN_FILES, perCaller = MAX_OPEN_FILES_PER_CALLER }: OpenFilesLimits = {}) {
    this.#inAll = inAll
    this.#perCaller = perCaller
  }

  /** Counts one more file. The returned function ends it. Throws 503 at a limit. */
  begin(caller: string): () => void {
    if (this.#open.of(caller) >= this.#perCaller)
      throw new ApiError('service_unavailable', {
        message: `You are downloading ${this.#perCaller} files; request the next one when one of them has ended.`,
      })
    if (this.#open.total >= this.#inAll)
      throw new ApiError('service_unavailable', {
        message: 'Too many files are being downloaded; try again later.',
      })
    return this.#open.begin(caller)
  }
}

interface FileEnd {
  /** Bytes that the client was promised. */
  readonly length: number
  readonly close: () => void
  /** Aborted when the client disconnects, which may be before the first chunk. */
  readonly signal: AbortSignal
}

/** The chunks of an open file. Closes it at its end, after an error and when the client disconnects. */
export function fileChunks(
  body: ReadableStream<Uint8Array>,
  { length, close, signal }: FileEnd,
): AsyncIterable<Uint8Array> {
  const abandon = () => {
    close()
    // Rejects while `chunks` reads it; then the end of `chunks` cancels it.
    body.cancel().catch(() => {})
  }
  if (signal.aborted) abandon()
  else signal.addEventListener('abort', abandon, { once: true })
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let sent = 0
    try {
      for await (const chunk of body) {
        sent += chunk.length
        yield chunk
      }
      // The reply is broken off, so that a cut file never looks whole.
      if (sent !== length) throw new Error(`the file of a release has ${sent} of ${length} bytes`)
    } finally {
      signal.removeEventListener('abort', abandon)
      close()
    }
  }
  return chunks()
}
