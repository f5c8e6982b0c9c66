import type { Reply, ReplyBody } from './exchange.js'

/** Whether a body is made while it is sent. */
export function isStream(body: ReplyBody): body is AsyncIterable<Uint8Array> {
  return body !== null && typeof body !== 'string' && !Buffer.isBuffer(body)
}

/** What a reader of a body that is no stream reads; null where there is none. */
export function bodyText({ body, charset }: Pick<Reply, 'body' | 'charset'>): string | null {
  if (isStream(body)) throw new Error('the body is a stream')
  if (typeof body !== 'string') return body === null ? null : body.toString()
  return charset === 'latin1' ? Buffer.from(body, charset).toString() : body
}
