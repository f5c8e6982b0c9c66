import type { Exchange } from '../../../platform/request/exchange.js'

/** What a request of an operation has of `Request`: its method, address, headers and signal. Its body has been read. */
interface ReadRequest extends Pick<Request, 'method' | 'url' | 'signal'> {
  readonly headers: Pick<Headers, 'get' | 'has'>
}

/** The request of an operation as plugins look at it. */
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
  return request as Request // the rest is for the body
}
