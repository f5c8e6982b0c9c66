import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../../core/errors.js'

/** Maximum body size in bytes. A GraphQL document with the maximum number of tokens and its variables is far smaller. */
export const MAX_BODY_BYTES = 256 * 1024

/** Maximum size without a credential: a document of 8,192 characters and its variables. Larger bodies are not read. */
export const MAX_ANONYMOUS_BYTES = 12 * 1024

/**
 * Bytes that a rejected client may still send. Closing the connection while a client writes resets it, and most clients
 * then never see the response.
 */
const MAX_DRAINED_BYTES = 32 * 1024 * 1024

const WITHOUT_BODY: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Reads the body of a request; null without one. Rejects with 413 as soon as the body is too large, and discards the rest.
 * Never settles if the client disconnects.
 */
export function readBody(request: IncomingMessage): Promise<Buffer | null> | null {
  if (WITHOUT_BODY.has(request.method) || !announcesBody(request)) return null
  const most = hasCredential(request) ? MAX_BODY_BYTES : MAX_ANONYMOUS_BYTES
  return new Promise((resolve, reject) => {
    const refuse = () => {
      request.removeAllListeners('data').removeAllListeners('end')
      drain(request)
      reject(tooLarge(most))
    }
    if (Number(request.headers['content-length'] ?? 0) > most) {
      refuse()
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > most) refuse()
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(bytes === 0 ? null : Buffer.concat(chunks)))
  })
}

/** RFC 9112, section 6.3: a request without either header has no body. `optimizeEmptyRequests` uses the same rule. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Whether a credential is sent, valid or not. It is checked before the body is parsed. */
function hasCredential({ headers }: IncomingMessage): boolean {
  return headers['x-api-key'] !== undefined || headers.authorization !== undefined
}

function tooLarge(most: number): ApiError {
  const without = most === MAX_BODY_BYTES ? '' : ', the maximum without a key'
  return new ApiError('payload_too_large', {
    message: `The body is larger than ${most} bytes${without}; send a smaller one${without === '' ? '' : ' or a key'}.`,
  })
}

function drain(request: IncomingMessage): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_DRAINED_BYTES) request.destroy()
  })
}
