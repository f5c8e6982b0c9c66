import type { Encoding, Exchange, Reply } from '../../../platform/request/exchange.js'
import type { Frame, Transport } from '../../../platform/request/transport.js'
import type { CacheHit } from '../../../platform/response-cache/response-cache.js'
import type { Cost } from '../../../policy/price.js'
import { closeCompressed, compressOpen, type OpenCompressed } from '../response/open-compressed.js'
import { lifetimeHeaders } from './lifetime-headers.js'

/** Compressed rendered bodies. A rendering and its compressed forms live for at most a second. */
const streams = new WeakMap<Buffer, Map<Encoding, OpenCompressed | Promise<OpenCompressed>>>()

/** Creates the reply of a cached response, with current ages and this caller's cost. It is compressed once for all callers. */
export function hitReply(
  hit: CacheHit,
  transport: Pick<Transport, 'frame'>,
  cost: Cost | null,
  { now }: Pick<Exchange, 'now'>,
): Reply {
  const { response } = hit
  const { bytes: json, body } = response.body.renderAt(now.getTime())
  return {
    status: 200,
    headers: response.headers.concat(lifetimeHeaders(response, hit, now)),
    ...keptBody(json, body, transport.frame(cost)),
    charset: 'latin1',
  }
}

/** The body of kept JSON with this caller's cost. It is compressed once for all callers. */
export function keptBody(
  json: Buffer,
  body: string | Buffer,
  { head, tail }: Frame,
): Pick<Reply, 'body' | 'encoded'> {
  return {
    body: framed(body, head, tail),
    encoded: (encoding) => {
      const stream = streamOf(json, head, encoding)
      const end = Buffer.from(tail)
      return stream instanceof Promise
        ? stream.then((open) => closeCompressed(open, end))
        : closeCompressed(stream, end)
    },
  }
}

function framed(body: string | Buffer, head: string, tail: string): string | Buffer {
  if (typeof body === 'string') return head + body + tail
  return head === '' && tail === '' ? body : Buffer.concat([Buffer.from(head), body, Buffer.from(tail)])
}

function streamOf(json: Buffer, head: string, encoding: Encoding): OpenCompressed | Promise<OpenCompressed> {
  const known = streams.get(json)
  const found = known?.get(encoding)
  if (found !== undefined) return found
  const text = head === '' ? json : Buffer.concat([Buffer.from(head), json])
  const opened = compressOpen(encoding, text)
  if (known === undefined) streams.set(json, new Map([[encoding, opened]]))
  else known.set(encoding, opened)
  return opened
}
