import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Largest body accepted, bytes. A GraphQL document of the token limit with its variables stays far below. */
export const MAX_BODY_BYTES = 256 * 1024

/**
 * What a refused client may still send, bytes. Closing while it writes resets the connection, and most clients then
 * never see the answer.
 */
const MAX_DRAINED_BYTES = 32 * 1024 * 1024

/**
 * Reads bodies in front of yoga, counting bytes: yoga's own guard pipes every POST through a stream transform,
 * and REST has none. The body is handed on as a buffer; a larger one is answered by `tooLarge` at once, and its rest thrown away.
 */
export function limitBody(
  next: RequestListener,
  tooLarge: (request: IncomingMessage, response: ServerResponse) => void,
): RequestListener {
  return (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') {
      next(request, response)
      return
    }
    const refuse = () => {
      request.removeAllListeners('data').removeAllListeners('end')
      drain(request)
      tooLarge(request, response)
    }
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      refuse()
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) refuse()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      // whatwg-node takes a body that a framework has parsed already from this property.
      if (bytes > 0) Object.assign(request, { body: Buffer.concat(chunks) })
      next(request, response)
    })
  }
}

function drain(request: IncomingMessage): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_DRAINED_BYTES) request.destroy()
  })
}
