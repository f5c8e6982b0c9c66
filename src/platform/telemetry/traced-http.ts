import type { DownloadClient, HttpClient, HttpRequest } from '../http-client/http-client.js'
import type { Tracing } from './tracing.js'

/** Adds a span to each call, named by the host only, because paths may contain keys. Sends `traceparent` to the host. */
export function tracedHttp(http: HttpClient & DownloadClient, tracing: Tracing): HttpClient & DownloadClient {
  const ask = <Answer extends { readonly status: number }>(
    request: HttpRequest,
    send: (request: HttpRequest) => Promise<Answer>,
  ): Promise<Answer> => {
    const { hostname } = new URL(request.url)
    const method = request.method ?? 'GET'
    const attributes = { 'server.address': hostname, 'http.request.method': method }
    return tracing.call({ name: `${method} ${hostname}`, attributes }, async () => {
      const traceparent = tracing.traceparent()
      const headers = traceparent === null ? request.headers : { ...request.headers, traceparent }
      const answer = await send(headers === undefined ? request : { ...request, headers })
      tracing.describe({
        name: `${method} ${hostname}`,
        attributes: { 'http.response.status_code': answer.status },
      })
      return answer
    })
  }
  return {
    request: (request) => ask(request, (sent) => http.request(sent)),
    download: (request, path) => ask(request, (sent) => http.download(sent, path)),
  }
}
