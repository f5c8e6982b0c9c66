import type { DownloadClient, HttpClient, HttpRequest } from '../../platform/http-client/http-client.js'

/** The HTTP client of an attempt. Aborting the signal ends its requests; the attempt reports failures in one line. */
export function ofAttempt(
  http: HttpClient & DownloadClient,
  signal: AbortSignal,
): HttpClient & DownloadClient {
  const bounded = (request: HttpRequest): HttpRequest => ({
    ...request,
    isReportedByCaller: true,
    signal: request.signal === undefined ? signal : AbortSignal.any([signal, request.signal]),
  })
  return {
    request: (request) => http.request(bounded(request)),
    download: (request, path) => http.download(bounded(request), path),
  }
}
