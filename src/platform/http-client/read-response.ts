import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { UpstreamError } from './upstream-error.js'

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

export interface DownloadedFile {
  readonly status: number
  readonly bytes: number
}

/** Reads the body of an answer. `shown` is its address for messages; `onChunk` is called for each chunk. */
export type ReadResponse<Result> = (
  response: Response,
  maxBytes: number,
  shown: string,
  onChunk: (chunk: Uint8Array) => void,
) => Promise<Result>

/** The body in memory. */
export async function readIntoMemory(
  response: Response,
  maxBytes: number,
  shown: string,
  onChunk: (chunk: Uint8Array) => void,
): Promise<HttpResponse> {
  const chunks: Uint8Array[] = []
  for await (const chunk of boundedChunks(response, maxBytes, shown, onChunk)) chunks.push(chunk)
  return { status: response.status, headers: response.headers, body: Buffer.concat(chunks) }
}

/** The body in a new file, which is closed when this settles. */
export function readIntoFile(path: string): ReadResponse<DownloadedFile> {
  return async (response, maxBytes, shown, onChunk) => {
    const file = createWriteStream(path, { mode: 0o600 })
    try {
      await pipeline(boundedChunks(response, maxBytes, shown, onChunk), file)
    } finally {
      // A download may fail while its file is being created; wait, so that no file appears after the end.
      await new Promise<void>((resolve) => (file.closed ? resolve() : file.once('close', resolve)))
    }
    return { status: response.status, bytes: file.bytesWritten }
  }
}

/** Throws as soon as the announced or received size exceeds the limit. */
async function* boundedChunks(
  response: Response,
  maxBytes: number,
  shown: string,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const tooLarge = () => new UpstreamError('too_large', `${shown} sends more than ${maxBytes} bytes`)
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel()
    throw tooLarge()
  }
  let bytes = 0
  // Leaving the loop by a throw cancels the stream and closes the connection.
  for await (const chunk of response.body ?? []) {
    onChunk(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    yield chunk
  }
}
