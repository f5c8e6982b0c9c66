import type { Exchange } from '../../../platform/request/exchange.js'

/** The members of `Request` that plugins may use. The body has been read. */
interface ReadRequest extends Pick<Request, 'method' | 'url' | 'signal'> {
  readonly headers: Pick<Headers, 'get' | 'has'>
}

/** Creates the `Request` that plugins see. */
export function operationRequest(exchange: Exchange): Request {
  const get = (name: string) => exchange.header(name.toLowerCase())
  const request: ReadRequest = {
    headers: { get, has: (name) => get(name) !== null },
    method: exchange.method,
    get url() {
      return `http://localhost${exchange.path}${exchange.search}`
    },
    get signal() {
      return exchange.signal
    },
  }
  return request as Request // the missing members concern the body and fetch
}
