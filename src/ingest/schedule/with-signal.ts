import type { DownloadClient, HttpClient, HttpRequest } from '../../platform/http-client/http-client.js'

/** The client with requests that end, too, when the signal is aborted. */
export function withSignal(
  http: HttpClient & DownloadClient,
  signal: AbortSignal,
): HttpClient & DownloadClient {
  const bounded = (request: HttpRequest): HttpRequest => ({
    ...request,
    signal: request.signal === undefined ? signal : AbortSignal.any([signal, request.signal]),
  })
  return {
    request: (request) => http.request(bounded(request)),
    download: (request, path) => http.download(bounded(request), path),
  }
}
