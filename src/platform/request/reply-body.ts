import type { Reply, ReplyBody } from './exchange.js'

/** Whether a body is produced while it is sent. */
export function isStream(body: ReplyBody): body is AsyncIterable<Uint8Array> {
  return body !== null && typeof body !== 'string' && !Buffer.isBuffer(body)
}

/** The text of a body that is not a stream; null for no body. */
export function bodyText({ body, charset }: Pick<Reply, 'body' | 'charset'>): string | null {
  if (isStream(body)) throw new Error('the body is a stream')
  if (typeof body !== 'string') return body === null ? null : body.toString()
  return charset === 'latin1' ? Buffer.from(body, charset).toString() : body
}
